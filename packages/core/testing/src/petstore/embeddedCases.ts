import type { Petstore } from "@petstore/core"
import { assertInvariants } from "../assertInvariants.ts"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { orderOf, petOf } from "./given.ts"
import { collect } from "./inspect.ts"
import { rejectsAs, rejectsWith } from "./rejections.ts"

/** What only a petstore in this process can do. */
export const embeddedCases = petstoreCases<Petstore>("petstores in process", {
  "an empty petstore verifies": async (petstore) => {
    await assertInvariants(petstore)
  },
  "a petstore verifies after use": async (petstore) => {
    const petId = await petOf(petstore, 9)
    await petstore.orders.complete(await orderOf(petstore, petId, 2))
    await petstore.orders.cancel(await orderOf(petstore, petId, 2))
    await orderOf(petstore, petId, 2)
    await petstore.pets.update(petId, { status: "pending" })
    await petstore.pets.delete(await petOf(petstore, 3))
    await petstore.orders.place({})
    await assertInvariants(petstore)
  },
  "a verification that is cancelled rejects with the reason": async (petstore) => {
    const reason = new Error("The operator left")
    await rejectsAs(reason, petstore.verify({ signal: AbortSignal.abort(reason) }))
  },
  "the numbers of a petstore show its log and its queues": async (petstore) => {
    const { events, messages, webhooks } = await petstore.stats()
    assertEqual(
      [events.earliest, events.latest, messages.queued, messages.failed, webhooks.endpoints],
      [1, 0, 0, 0, []],
      "nothing at first"
    )
    const { id } = await petstore.webhooks.create({ url: "https://example.com/" })
    for (const message of ["Hello", "Hello again"]) await petstore.messages.enqueue(message)
    const open = await petstore.events.consume("invoices", () => {}, { after: 0, types: ["order.placed"] })
    const stats = await petstore.stats()
    assertEqual(stats.events.latest, 3)
    assertEqual(stats.messages.queued, 2)
    assertTrue(stats.messages.oldestQueued >= 0, "an age")
    assertEqual(stats.webhooks.endpoints, [{ id, enabled: true, pending: 0, failed: 0, oldestPending: 0 }])
    const [consumer] = stats.consumers
    assertEqual([stats.consumers.length, consumer?.name], [1, "invoices"])
    assertEqual(consumer?.lag, stats.events.latest - (consumer?.position ?? 0))
    assertTrue((consumer?.age ?? -1) >= 0, "an age")
    await open.close()
  },
  "the retention of a petstore shows which events there are, and who needs them": async (petstore) => {
    assertEqual(await petstore.retention(), { earliest: 1, latest: 0 })
    await orderOf(petstore, await petOf(petstore, 9), 2)
    const consumer = await petstore.events.consume("invoices", () => {})
    const { latest } = (await petstore.stats()).events
    assertEqual(await petstore.retention(), {
      earliest: 1,
      latest,
      heldBy: { consumer: consumer.name, position: latest }
    })
    await consumer.close()
  },
  "a closed petstore rejects every call": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const iterating = petstore.pets.all()
    await petstore.close()
    await rejectsWith("shutting_down", petstore.pets.get(petId))
    await rejectsWith("shutting_down", petstore.orders.place({ petId }))
    await rejectsWith("shutting_down", petstore.verify())
    await rejectsWith("shutting_down", collect(iterating))
  },
  "closing twice is the same as closing once": async (petstore) => {
    await Promise.all([petstore.close(), petstore.close()])
    await petstore.close()
  },
  "a petstore is closed by await using": async (petstore) => {
    await petstore.orders.place({})
    // Does what `await using` does at the end of its block, which Node.js 22 cannot parse.
    await petstore[Symbol.asyncDispose]()
    await rejectsWith("shutting_down", petstore.orders.list())
  },
  "calls that started before closing complete": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const begun = Array.from({ length: 9 }, (_, n) =>
      petstore.orders.place({ petId }, n % 2 === 0 ? {} : { idempotencyKey: `order-${n}` })
    )
    await petstore.close()
    assertEqual((await Promise.all(begun)).length, 9)
  }
})
