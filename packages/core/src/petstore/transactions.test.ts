import { assert, describe, it } from "@effect/vitest"
import { RequestTimeout } from "../domain/errors/ServiceErrors.ts"
import { createPetstore } from "./createPetstore.ts"

const rejection = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail("It succeeded"),
    (error) => error
  )

describe("given a transaction that takes longer than its timeout", () => {
  it("then it changes nothing, and its later calls reject with a TypeError", async () => {
    await using petstore = await createPetstore()
    const ended = Promise.withResolvers<void>()
    const late = Promise.withResolvers<unknown>()
    const call = petstore.transaction(
      async (tx) => {
        await tx.orders.place({})
        await ended.promise
        late.resolve(await rejection(tx.orders.place({})))
      },
      { timeout: 5 }
    )
    assert.instanceOf(await rejection(call), RequestTimeout)
    ended.resolve()
    assert.instanceOf(await late.promise, TypeError)
    assert.deepStrictEqual((await petstore.orders.list()).items, [])
  })
})

describe("given a transaction that has created an order", () => {
  it("when somebody else creates one before its end, then both have ids of their own", async () => {
    await using petstore = await createPetstore()
    const created = Promise.withResolvers<void>()
    const other = created.promise.then(() => petstore.orders.place({}))
    const [first, second] = await petstore.transaction(async (tx) => {
      const order = await tx.orders.place({})
      created.resolve()
      return [order, await other]
    })
    const ids = (await petstore.orders.list()).items.map(({ id }) => id)
    assert.sameMembers(ids, [first?.id, second?.id])
    assert.lengthOf(ids, 2)
  })
})

describe("given a transaction that is open", () => {
  it("when the petstore closes, then it goes on to its end, and the petstore waits for it", async () => {
    const petstore = await createPetstore()
    const closing = Promise.withResolvers<void>()
    const call = petstore.transaction(async (tx) => {
      await closing.promise
      await petstore.orders.place({}, { transaction: tx })
      return tx.transaction(async (part) => (await part.orders.place({})).id)
    })
    const closed = petstore.close().then(() => "closed")
    closing.resolve()
    assert.strictEqual(await Promise.race([call, closed]), 2)
    await closed
  })
})
