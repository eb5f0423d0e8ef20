import type { DeliveryRecord } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { wasRefused } from "./outcomes.ts"
import { at, newDelivery, newWebhookRecord, webhookSecret } from "./rows.ts"
import type { Store } from "./StorageFixture.ts"

const givenWebhook = (store: Store) => store.transact(store.webhooks.insert(newWebhookRecord()))

/** Deliveries of the events 1 to `count`, due in the opposite order. */
const givenDeliveries = (store: Store, webhookId: number, count: number) =>
  store.transact(
    store.deliveries.insertAll(
      Array.from({ length: count }, (_, index) =>
        newDelivery(webhookId, index + 1, { nextAttemptAt: at(100 - index), subject: `pets/${index % 2}` })
      )
    )
  )

const change = (store: Store, id: number, to: (record: DeliveryRecord) => DeliveryRecord) =>
  store.transact(
    Effect.gen(function* () {
      const record = yield* store.deliveries.find(id)
      if (record === undefined) return yield* Effect.die(new Error("The delivery is gone"))
      yield* store.webhooks.lock(record.delivery.webhookId)
      yield* store.deliveries.save(to(record))
    })
  )

const ended = ({ delivery, lease }: DeliveryRecord): DeliveryRecord => {
  const { nextAttemptAt: _, ...rest } = delivery
  return {
    delivery: {
      ...{ ...rest, status: "failed", attempts: 10, lastAttemptAt: at(200), failure: "status", responseStatus: 500 },
      ...{ message: "The endpoint responded 500.", finishedAt: at(200) }
    },
    lease: { fence: lease.fence + 10 }
  }
}

const leasedUntil =
  (seconds: number) =>
  ({ delivery, lease }: DeliveryRecord): DeliveryRecord => ({
    delivery: { ...delivery, nextAttemptAt: at(seconds) },
    lease: { fence: lease.fence + 1, until: at(seconds) }
  })

const seqs = (records: ReadonlyArray<DeliveryRecord>) => records.map(({ delivery }) => delivery.seq)

export const webhookCases = storageCases("storage: webhooks and deliveries", {
  "a webhook is read as it was saved, with and without everything that it can have": (store) =>
    Effect.gen(function* () {
      const id = yield* givenWebhook(store)
      const { webhook, ...fields } = newWebhookRecord()
      const first = { ...fields, webhook: { id, ...webhook }, deleted: false }
      assertEqual(yield* store.webhooks.find(id), first)
      const whole = {
        webhook: {
          ...{
            ...first.webhook,
            types: ["pet.created" as const],
            description: "Ours 🐶",
            ordered: true,
            concurrency: 3
          },
          ...{ enabled: false, disabledReason: "gone" as const, disabledAt: at(3) }
        },
        version: 7,
        secret: webhookSecret.replace("A", "B"),
        previous: { secret: webhookSecret, until: at(9) },
        failingSince: at(2),
        route: { after: Number.MAX_SAFE_INTEGER, enabled: true, types: ["pet.created", "order.placed"] },
        deleted: false
      }
      yield* store.transact(Effect.andThen(store.webhooks.lock(id), store.webhooks.save(whole)))
      assertEqual(yield* store.webhooks.find(id), whole)
      assertEqual(yield* store.webhooks.list(0, 10), [whole])
      assertEqual(yield* store.webhooks.list(id, 10), [])
      const gone = { ...whole, deleted: true }
      yield* store.transact(Effect.andThen(store.webhooks.lock(id), store.webhooks.save(gone)))
      assertEqual([yield* store.webhooks.find(id), yield* store.webhooks.list(0, 10)], [undefined, []])
      assertEqual(yield* store.webhooks.scan(0, 10), [gone])
      assertEqual(yield* givenWebhook(store), id + 1)
    }),

  "a delivery is read as it was added and saved, by its id, by its status and by its event": (store) =>
    Effect.gen(function* () {
      const [webhookId, other] = [yield* givenWebhook(store), yield* givenWebhook(store)]
      yield* store.transact(
        store.deliveries.insertAll([
          newDelivery(other, 1),
          newDelivery(webhookId, 5, { nextAttemptAt: at(5) }),
          newDelivery(webhookId, 3, { nextAttemptAt: at(3) })
        ])
      )
      const [, second, third] = yield* store.deliveries.scan(0, 10)
      if (second === undefined || third === undefined) return yield* Effect.die(new Error("A delivery is missing"))
      assertEqual(second, {
        delivery: { id: second.delivery.id, ...newDelivery(webhookId, 5), status: "pending", attempts: 0 },
        lease: { fence: 0 }
      })
      yield* change(store, second.delivery.id, ended)
      assertEqual(yield* store.deliveries.find(second.delivery.id), ended(second))
      const list = { webhookId, after: 0, limit: 10 }
      assertEqual(seqs(yield* store.deliveries.list(list)), [5, 3])
      assertEqual(seqs(yield* store.deliveries.list({ ...list, limit: 1 })), [5])
      assertEqual(seqs(yield* store.deliveries.list({ ...list, after: second.delivery.id })), [3])
      assertEqual(seqs(yield* store.deliveries.list({ ...list, status: "pending" })), [3])
      assertEqual(seqs(yield* store.deliveries.list({ ...list, status: "failed" })), [5])
      assertEqual(seqs(yield* store.deliveries.ofEvents(webhookId, 0, 10)), [3, 5])
      assertEqual(seqs(yield* store.deliveries.ofEvents(webhookId, 3, 10)), [5])
      assertEqual(seqs(yield* store.deliveries.ofEvents(webhookId, 0, 1)), [3])
    }),

  "the backlog of a webhook counts what is pending and what has failed, up to a limit": (store) =>
    Effect.gen(function* () {
      const [busy, idle, gone] = [yield* givenWebhook(store), yield* givenWebhook(store), yield* givenWebhook(store)]
      yield* givenDeliveries(store, busy, 5)
      yield* givenDeliveries(store, gone, 2)
      const [first, second] = yield* store.deliveries.scan(0, 2)
      if (first === undefined || second === undefined) return yield* Effect.die(new Error("A delivery is missing"))
      yield* change(store, first.delivery.id, ended)
      yield* change(store, second.delivery.id, leasedUntil(150))
      yield* store.transact(
        Effect.flatMap(store.webhooks.lock(gone), (record) =>
          record === undefined ? Effect.die("It is gone") : store.webhooks.save({ ...record, deleted: true })
        )
      )
      const counted = { webhookId: busy, enabled: true, pending: 4, failed: 1, oldest: second.delivery.createdAt }
      const none = { webhookId: idle, enabled: true, pending: 0, failed: 0 }
      assertEqual(yield* store.deliveries.backlogs(10, 100), [counted, none])
      assertEqual(yield* store.deliveries.backlogs(1, 3), [{ ...counted, pending: 3 }])
      assertEqual(yield* store.transact(store.deliveries.backlogs(10, 4)), [counted, none])
    }),

  "the deliveries that are due are those of one webhook, in the order of their times": (store) =>
    Effect.gen(function* () {
      const [webhookId, other] = [yield* givenWebhook(store), yield* givenWebhook(store)]
      yield* givenDeliveries(store, webhookId, 5)
      yield* givenDeliveries(store, other, 1)
      assertEqual(yield* store.deliveries.nextDue(webhookId), at(96))
      assertEqual(seqs(yield* store.deliveries.due(webhookId, at(98), 10)), [5, 4, 3])
      assertEqual(seqs(yield* store.deliveries.due(webhookId, at(98), 2)), [5, 4])
      const [first] = yield* store.deliveries.due(webhookId, at(98), 1)
      if (first === undefined) return yield* Effect.die(new Error("No delivery is due"))
      yield* change(store, first.delivery.id, leasedUntil(150))
      assertEqual(seqs(yield* store.deliveries.due(webhookId, at(98), 10)), [4, 3])
      assertEqual(
        [yield* store.deliveries.leased(webhookId, at(149)), yield* store.deliveries.leased(webhookId, at(150))],
        [1, 0]
      )
      assertEqual(yield* store.deliveries.leased(other, at(1)), 0)
      yield* change(store, first.delivery.id, ended)
      assertEqual(seqs(yield* store.deliveries.due(webhookId, at(500), 10)), [4, 3, 2, 1])
    }),

  "the pending deliveries of a subject are those of one webhook in ascending id, due or not": (store) =>
    Effect.gen(function* () {
      const webhookId = yield* givenWebhook(store)
      yield* givenDeliveries(store, webhookId, 4)
      yield* givenDeliveries(store, yield* givenWebhook(store), 1)
      const [first, ...others] = yield* store.deliveries.pending(webhookId, "pets/0", 9)
      assertEqual([first?.delivery.seq, ...seqs(others)], [1, 3])
      assertEqual(seqs(yield* store.deliveries.pending(webhookId, "pets/0", 1)), [1])
      if (first === undefined) return
      yield* change(store, first.delivery.id, ({ delivery: { nextAttemptAt: _, ...delivery }, lease }) => ({
        delivery,
        lease
      }))
      const [waiting] = yield* store.deliveries.pending(webhookId, "pets/0", 1)
      assertEqual([waiting?.delivery.seq, waiting?.delivery.nextAttemptAt], [1, undefined])
      assertEqual(seqs(yield* store.deliveries.due(webhookId, at(500), 10)), [4, 3, 2])
      yield* change(store, first.delivery.id, ended)
      assertEqual(seqs(yield* store.deliveries.pending(webhookId, "pets/0", 9)), [3])
      assertEqual(yield* store.deliveries.pending(webhookId, "pets/9", 1), [])
    }),

  "a delivery that is removed is in no list, and a later one has another id": (store) =>
    Effect.gen(function* () {
      const webhookId = yield* givenWebhook(store)
      yield* givenDeliveries(store, webhookId, 3)
      const [first, second] = yield* store.deliveries.scan(0, 10)
      if (first === undefined || second === undefined) return assertEqual("two deliveries", "fewer")
      for (const { delivery } of [first, second]) yield* change(store, delivery.id, ended)
      const remove = (id: number, seq: number) =>
        Effect.andThen(store.webhooks.lock(webhookId), store.deliveries.remove({ id, webhookId, seq }))
      yield* Effect.exit(store.transact(Effect.andThen(remove(first.delivery.id, 1), Effect.fail("no"))))
      assertEqual(seqs(yield* store.deliveries.ofEvents(webhookId, 0, 10)), [1, 2, 3])
      yield* store.transact(remove(first.delivery.id, 1))
      assertEqual(yield* store.deliveries.find(first.delivery.id), undefined)
      assertEqual(seqs(yield* store.deliveries.ofEvents(webhookId, 0, 10)), [2, 3])
      assertEqual(seqs(yield* store.deliveries.scan(0, 10)), [2, 3])
      const failed = store.deliveries.list({ webhookId, status: "failed", after: 0, limit: 10 })
      assertEqual(seqs(yield* failed), [2])
      yield* store.transact(store.deliveries.insertAll([newDelivery(webhookId, 1)]))
      const [again] = yield* store.deliveries.ofEvents(webhookId, 0, 1)
      assertEqual((again?.delivery.id ?? 0) > second.delivery.id + 1, true)
    }),

  "a second delivery of an event to a webhook is rejected, and so is one to a webhook that does not exist": (store) =>
    Effect.gen(function* () {
      const webhookId = yield* givenWebhook(store)
      yield* givenDeliveries(store, webhookId, 2)
      for (const added of [newDelivery(webhookId, 2), newDelivery(webhookId + 1, 3)]) {
        wasRefused(yield* Effect.exit(store.transact(store.deliveries.insertAll([newDelivery(webhookId, 4), added]))))
      }
      assertEqual(seqs(yield* store.deliveries.ofEvents(webhookId, 0, 10)), [1, 2])
    })
})
