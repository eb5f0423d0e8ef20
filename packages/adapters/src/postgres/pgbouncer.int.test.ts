import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { InternalError } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { pgBouncer, pgBouncerVersion, throughPort } from "../../test/support/postgres/PgBouncer.ts"
import { testDatabase } from "../../test/support/postgres.ts"
import { rejection } from "../../test/support/rejections.ts"
import { durability } from "./durability.ts"
import { postgres } from "./postgres.ts"
import { migrationSql, migrationState, schemaProblems } from "./schema/migrationState.ts"

const [major = 0, minor = 0] = (pgBouncerVersion ?? "").split(".").map(Number)
const carriesNames = major > 1 || minor >= 21
const reason =
  pgBouncerVersion === undefined
    ? " (skipped: pgbouncer is not installed)"
    : carriesNames
      ? ` (skipped: PgBouncer ${pgBouncerVersion} carries named statements)`
      : ""

describe.skipIf(reason !== "")(`given a PgBouncer that does not carry named statements${reason}`, () => {
  it.effect("when a store with named statements opens behind it, then it fails and says to set prepare: false", () =>
    Effect.gen(function* () {
      const direct = yield* testDatabase
      const url = throughPort(direct, yield* pgBouncer(direct))
      const open = (maxConnections: number, prepare = true) =>
        createPetstore({ storage: postgres({ url, maxConnections, prepare }) })
      // The first connection of the petstore is also the first one on a connection of the server. The second one is not.
      const error = yield* Effect.promise(() => rejection(open(10)))
      assert.instanceOf(error, InternalError)
      assert.match(error.message, /Cannot open the store at .*: A pooler .* Set the option prepare: false/)
      yield* Effect.promise(async () => (await open(10, false)).close())
    })
  )

  it.effect("when a schema is inspected behind it, then that fails and says to set prepare: false", () =>
    Effect.gen(function* () {
      const direct = yield* testDatabase
      const url = throughPort(direct, yield* pgBouncer(direct))
      const inspections: ReadonlyArray<Effect.Effect<unknown, StorageError>> = [
        migrationState(url),
        migrationSql(url),
        schemaProblems(url)
      ]
      for (const inspection of inspections) {
        // Each of the server's connections has the names after its first use.
        const error = yield* Effect.flip(Effect.repeat(inspection, { times: 8 }))
        assert.match(error.message, /Cannot open the store at .*: A pooler .* Set the option prepare: false/)
      }
    })
  )
})

const noPooler = pgBouncerVersion === undefined ? " (skipped: pgbouncer is not installed)" : ""

describe.skipIf(noPooler !== "")(`given PgBouncer in transaction mode${noPooler}`, () => {
  it.effect(
    "when the durability is read through it, then it is found, and is a problem for named statements alone",
    () =>
      Effect.gen(function* () {
        const direct = yield* testDatabase
        const url = throughPort(direct, yield* pgBouncer(direct))
        const poolerOf = (prepare: boolean, at: string) =>
          Effect.map(durability({ url: at, prepare }), ({ findings }) =>
            findings.find(({ subject }) => subject === "pooler")
          )
        assert.deepInclude(yield* poolerOf(false, url), { subject: "pooler", value: "transaction mode" })
        assert.include((yield* poolerOf(true, url))?.problem, "prepare=false")
        assert.notStrictEqual((yield* poolerOf(true, direct))?.value, "transaction mode")
      })
  )
})
