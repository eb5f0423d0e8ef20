import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { memory } from "../memory/MemoryStorage.ts"
import { createPetstore } from "./createPetstore.ts"
import { Petstore } from "./EffectPetstore.ts"

/** What reading a property throws. */
const refusalOf = (object: object, name: string): string => {
  try {
    Reflect.get(object, name)
  } catch (error) {
    assert.instanceOf(error, TypeError)
    return error.message
  }
  return assert.fail(`${name} can be read`)
}

describe("given the argument of a transaction, or a petstore as a user", () => {
  it("when a method is called that only the petstore has, then the error says where it is", async () => {
    await using petstore = await createPetstore()
    await petstore.transaction(async (tx) => {
      for (const name of ["close", "backup", "verify", "stats", "retention", "encryptSecrets"]) {
        assert.strictEqual(
          refusalOf(tx, name),
          `A transaction has no ${name}. Use petstore.${name}, outside of the function of the transaction.`
        )
        assert.match(refusalOf(petstore.as({ user: "ada" }), name), new RegExp(`Use petstore.${name}\\.$`))
      }
      await tx.transaction(async (part) => assert.match(refusalOf(part, "close"), /Use petstore.close/))
      assert.match(refusalOf(tx.events, "consume"), /Use petstore.events.consume, outside/)
    })
    assert.match(refusalOf(petstore.as({ user: "ada" }), "transaction"), /Use petstore.transaction\.$/)
    assert.match(refusalOf(petstore.as({ user: "ada" }).events, "consume"), /Use petstore.events.consume\.$/)
  })

  it("when it is one that ends other transactions, then the error says how this one ends", async () => {
    await using petstore = await createPetstore()
    await petstore.transaction(async (tx) => {
      for (const name of ["commit", "rollback", "abort"]) assert.match(refusalOf(tx, name), /Throw an error to end it/)
    })
  })

  it.effect("when it is that of the Effect API, then it does so too", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      yield* petstore.transaction((tx) =>
        Effect.sync(() => {
          assert.match(refusalOf(tx, "verify"), /Use petstore.verify, outside/)
          assert.match(refusalOf(tx, "within"), /Use petstore.within, outside/)
        })
      )
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )
})
