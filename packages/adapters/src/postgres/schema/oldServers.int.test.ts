import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { findVersion } from "../../../test/support/postgres/Binaries.ts"
import { openPostgres } from "../../../test/support/postgres/openPostgres.ts"
import { postgresServer } from "../../../test/support/postgres.ts"
import type { PooledDriverClient } from "../connection/driver.ts"
import { postgres } from "../postgres.ts"

const refusal = /InternalError: The server is PostgreSQL 13; the petstore needs 14 or later/

const binaries = await findVersion(13).catch(() => undefined)
const skipped =
  binaries === undefined
    ? " (skipped: PostgreSQL 13 is not installed: npm run lab -- postgres-versions installs it)"
    : ""

describe("given PostgreSQL 13, which is too old", () => {
  it.effect.skipIf(binaries === undefined)(
    `when a petstore is opened on it, then it fails with the versions${skipped}`,
    () =>
      Effect.gen(function* () {
        const server = yield* postgresServer({ ...(binaries === undefined ? {} : { binaries }), inMemory: true })
        assert.match(String(yield* Effect.flip(openPostgres(server.url()))), refusal)
      })
  )

  it("when a pool says so, then opening fails before anything is changed", async () => {
    const statements: Array<string> = []
    const client: PooledDriverClient = {
      query: ({ text }, onResult) => {
        statements.push(text)
        onResult(null, { rows: [{ version: 130021 }], rowCount: 1, command: "SELECT" })
      },
      on: () => {},
      removeListener: () => {},
      release: () => {}
    }
    const error = await createPetstore({ storage: postgres({ pool: { connect: async () => client } }) }).catch(String)
    assert.match(String(error), refusal)
    assert.isTrue(statements.every((text) => text.startsWith("SELECT")))
  })
})
