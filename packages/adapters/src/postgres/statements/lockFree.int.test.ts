import { assert, describe, it } from "@effect/vitest"
import { claimableMessages } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { openPostgres } from "../../../test/support/postgres/openPostgres.ts"
import { statementsOf } from "../../../test/support/postgres/plans.ts"
import { session } from "../../../test/support/postgres/sessions.ts"
import { testDatabase } from "../../../test/support/postgres.ts"

const later = "2999-01-01T00:00:00.000Z"

describe("given messages that two workers claim at the same time", () => {
  it.live("when one has locked them, then another transaction has locked none of them, and does not wait", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* openPostgres(url)
      yield* Effect.promise(async () => {
        for (const message of ["Feed the dog", "Feed the cat"]) await petstore.messages.enqueue(message)
      })
      const statements = yield* statementsOf(({ claim }) => [claim(claimableMessages, later, 10)])
      const [first, second] = [yield* session(url), yield* session(url)]
      yield* Effect.promise(async () => {
        await first.query("BEGIN")
        await second.query("SET lock_timeout = '500ms'; BEGIN")
        const claimed: Array<ReadonlyArray<number | null>> = []
        for (const { text, values } of statements) {
          const [one, other] = [await first.query(text, [...values]), await second.query(text, [...values])]
          if (one.rowCount !== 0) claimed.push([one.rowCount, other.rowCount])
        }
        assert.deepStrictEqual(claimed[0], [2, 0])
      })
    })
  )
})
