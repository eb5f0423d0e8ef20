import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { testDatabase } from "../../../test/support/postgres.ts"
import { startProgram } from "../../../test/support/program.ts"

/** What comes of losses of a client without a listener in each statement of a call: it keeps the listener of the petstore. */
const ofCalls = ["before", "during"].flatMap((how) => [
  `${how} 0 storage_busy 1`,
  `${how} 1 storage_busy 1`,
  `${how} 2 commit_unknown 1`,
  `${how} 3 committed 0`
])

/** What comes of losses before each step of a transaction: the three statements of the call, those of the app, and COMMIT. */
const ofTransactions = ["pg", "Kysely", "Drizzle"].flatMap((library) => [
  `${library} 0 storage_busy`,
  `${library} 1 storage_busy`,
  `${library} 2 storage_busy`,
  `${library} 3 commit_unknown`,
  `${library} 4 rejected by the library`,
  `${library} 5 rejected by the library`,
  `${library} 6 committed`
])

describe("given a host whose connections are ended by the server", () => {
  it.effect("when that happens at any step of a transaction, then its process goes on, and every rule holds", () =>
    Effect.gen(function* () {
      const program = yield* startProgram("lose-host-connections", yield* testDatabase)
      assert.deepStrictEqual(yield* program.rest, [...ofCalls, ...ofTransactions, "true"])
      assert.strictEqual(yield* program.exit, 0)
    })
  )
})
