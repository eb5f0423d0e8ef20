import { assertEqual } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { petOf } from "./given.ts"
import { assertUnchanged } from "./inspect.ts"
import { rejectsAs } from "./rejections.ts"

export const callCases = petstoreCases("calls", {
  "a call that is cancelled before it starts rejects with the reason and changes nothing": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const reason = new Error("The customer left")
    const options = { signal: AbortSignal.abort(reason) }
    await assertUnchanged(petstore, [petId], async () => {
      await rejectsAs(reason, petstore.orders.place({ petId }, options))
      await rejectsAs(reason, petstore.pets.get(petId, options))
      await rejectsAs(reason, petstore.inventory.set(petId, 9, options))
    })
  },
  "a signal that is not aborted does not affect a call": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const { signal } = new AbortController()
    assertEqual((await petstore.orders.place({ petId }, { signal, idempotencyKey: "signal" })).petId, petId)
  },
  "a call that is cancelled while it runs takes effect completely or not at all": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const giveUp = new AbortController()
    const call = petstore.orders.place({ petId, quantity: 2 }, { signal: giveUp.signal, idempotencyKey: "on the way" })
    giveUp.abort()
    await call.catch(() => undefined)
    const { items } = await petstore.orders.list()
    const { reserved } = await petstore.inventory.get(petId)
    assertEqual(reserved, items.length * 2)
  }
})
