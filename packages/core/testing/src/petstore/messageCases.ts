import { parseTimestamp } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { allIds, collect, idsOf } from "./inspect.ts"
import { rejectsWith } from "./rejections.ts"

export const messageCases = petstoreCases("messages", {
  "a message is queued": async (petstore) => {
    const queued = await petstore.messages.enqueue("Hello")
    assertTrue(/^msg_[0-9a-z]+$/.test(queued.id), `${queued.id} is a message id`)
    assertTrue(parseTimestamp(queued.createdAt) !== undefined, `${queued.createdAt} is a timestamp`)
    assertEqual(queued, { id: queued.id, message: "Hello", status: "queued", createdAt: queued.createdAt })
    const { status: _later, ...kept } = await petstore.messages.get(queued.id)
    assertEqual(kept, { id: queued.id, message: "Hello", createdAt: queued.createdAt })
  },
  "an unknown message is not found": async (petstore) => {
    await rejectsWith("not_found", petstore.messages.get("msg_0000000000000"))
  },
  "messages are listed by their status": async (petstore) => {
    const [first, second] = [await petstore.messages.enqueue("One"), await petstore.messages.enqueue("Two")]
    assertEqual((await petstore.messages.list({ status: "queued" })).items, [first, second])
    assertEqual(await collect(petstore.messages.all({ status: "queued", limit: 1 })), [first, second])
    const { next: cursor = "" } = await petstore.messages.list({ status: "queued", limit: 1 })
    for (const status of ["delivered", "failed"] as const) {
      assertEqual(await petstore.messages.list({ status }), { items: [] })
      await rejectsWith("invalid_cursor", petstore.messages.list({ status, cursor }))
    }
  },
  "a queued message stays as it is when it is queued again; an unknown one is not found": async (petstore) => {
    const queued = await petstore.messages.enqueue("Hello")
    assertEqual(await petstore.messages.requeue(queued.id), queued)
    assertEqual((await collect(petstore.events.all())).length, 1)
    await rejectsWith("not_found", petstore.messages.requeue("msg_0000000000000"))
    await rejectsWith("validation_failed", petstore.messages.requeue("Hello"))
  },
  "a deleted message is gone, and its key repeats the deletion": async (petstore) => {
    const { id } = await petstore.messages.enqueue("Hello")
    const kept = await petstore.messages.enqueue("Stay")
    await petstore.messages.delete(id, { idempotencyKey: "once" })
    await rejectsWith("not_found", petstore.messages.get(id))
    await rejectsWith("not_found", petstore.messages.requeue(id))
    await rejectsWith("not_found", petstore.messages.delete(id))
    await petstore.messages.delete(id, { idempotencyKey: "once" })
    await rejectsWith("idempotency_key_reused", petstore.messages.delete(kept.id, { idempotencyKey: "once" }))
    assertEqual((await petstore.messages.list()).items, [kept])
    const { data, type } = (await collect(petstore.events.all())).at(-1) ?? {}
    assertEqual({ data, type }, { data: { id }, type: "message.deleted" })
  },
  "a message keeps its line breaks": async (petstore) => {
    const text = "Dear all,\r\n\n\tsee below.\nYours"
    assertEqual((await petstore.messages.enqueue(text)).message, text)
  },
  "ids sort in the order in which messages were queued": async (petstore) => {
    const ids: Array<string> = []
    for (let n = 1; n <= 30; n++) ids.push((await petstore.messages.enqueue(`Message ${n}`)).id)
    assertEqual(ids, [...new Set(ids)].sort())
    assertEqual(await allIds(petstore.messages.all({ limit: 7 })), ids)
  },
  "messages that are queued at the same time have different ids": async (petstore) => {
    const queued = await Promise.all(Array.from({ length: 50 }, (_, n) => petstore.messages.enqueue(`Message ${n}`)))
    assertEqual(new Set(idsOf(queued)).size, 50)
    assertEqual((await collect(petstore.messages.all())).length, 50)
  }
})
