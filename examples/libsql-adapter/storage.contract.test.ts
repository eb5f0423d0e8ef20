import { MessageRules } from "@petstore/core/domain"
import { messages } from "@petstore/core/tables"
import { registerContract, storageContract } from "@petstore/testing"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { openStore } from "./libsql.ts"
import { openFaulty, storageFixture } from "./test/storageFixture.ts"

const cases = storageContract(storageFixture)

describe("a store on libSQL", () => {
  registerContract(cases, { describe, it })

  it("given that the disk is full, then the call fails with storage_full", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { database, faults } = yield* openFaulty
        const store = yield* openStore(database)
        faults.loseNextTransaction()
        const message = MessageRules.queued("msg_1", "Hello", "2030-01-01T00:00:00.000Z")
        const failure = yield* Effect.flip(
          store.run(function* (tx) {
            tx.add(messages, message)
          })
        )
        assert.strictEqual(failure.code, "storage_full")
      }).pipe(Effect.scoped)
    ))

  it("skips no case", () => {
    assert.deepStrictEqual(
      cases.filter(({ skip }) => skip !== undefined),
      []
    )
  })
})
