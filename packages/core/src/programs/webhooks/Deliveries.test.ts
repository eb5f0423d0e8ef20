import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { saved, writing } from "../../../test/support/writes.ts"
import { adapterOf, delivered, givenSender, settle, url } from "../../../test/webhooks/sending.ts"
import type { DeliverySearch } from "../../domain/webhooks/Delivery.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage } from "../../ports/Storage.ts"
import { deliveries, webhooks } from "../../tables/index.ts"

const gone = { delivered: false, reason: "gone", message: "Gone", status: 410 } as const

/** A petstore with two endpoints: the one with id 1 has refused its first delivery for good, and is enabled again. */
const given = (categories: number) =>
  Effect.gen(function* () {
    let isGone = true
    const { sender, sent } = givenSender((request) =>
      Effect.sync(() => (isGone && request.url.endsWith("/1") ? gone : delivered))
    )
    const services = yield* Layer.build(Petstore.layer(adapterOf(), { webhooks: sender }))
    const [petstore, storage] = [Context.get(services, Petstore), Context.get(services, Storage)]
    for (const n of [1, 2]) yield* petstore.webhooks.create({ url: `${url}/${n}`, types: ["category.created"] })
    for (let n = 1; n <= categories; n++) yield* petstore.categories.create({ name: `Category ${n}` })
    yield* settle
    const accept = Effect.gen(function* () {
      isGone = false
      yield* petstore.webhooks.update(1, { enabled: true })
    })
    return { accept, petstore, sent, storage }
  })

const idsOf = (petstore: (typeof Petstore)["Service"], query: DeliverySearch) =>
  Effect.map(petstore.deliveries.list(query), ({ items }) => items.map(({ id }) => id))

describe("given deliveries to two endpoints, one of which has failed", () => {
  it.effect("when they are listed, then each filter finds its own, the newest first if asked", () =>
    Effect.gen(function* () {
      const { petstore } = yield* given(1)
      const { items } = yield* petstore.deliveries.list()
      assert.deepStrictEqual(new Set(items.map(({ webhookId }) => webhookId)), new Set([1, 2]))
      const [first, second] = items
      assert.deepStrictEqual(yield* petstore.deliveries.list({ sort: "-id" }), { items: items.toReversed() })
      const { latestAttempts, ...one } = yield* petstore.deliveries.get(first?.id ?? 0)
      assert.deepStrictEqual(one, first)
      assert.lengthOf(latestAttempts, 1)
      const subject = "categories/1"
      const failed = items.filter(({ status }) => status === "failed").map(({ id }) => id)
      assert.lengthOf(failed, 1)
      assert.deepStrictEqual(yield* idsOf(petstore, { status: "failed" }), failed)
      assert.deepStrictEqual(yield* idsOf(petstore, { subject }), [first?.id, second?.id])
      assert.deepStrictEqual(yield* idsOf(petstore, { subject, status: "failed" }), failed)
      assert.deepStrictEqual(yield* idsOf(petstore, { subject: "categories/2" }), [])
      assert.deepStrictEqual(yield* idsOf(petstore, { type: "category.created", limit: 1 }), [first?.id])
      assert.deepStrictEqual(yield* idsOf(petstore, { type: "pet.created" }), [])
    })
  )

  it.effect("when all that failed are scheduled again, then they are sent at once, and none of the others", () =>
    Effect.gen(function* () {
      const { accept, petstore, sent } = yield* given(1)
      yield* accept
      const before = sent.length
      assert.deepStrictEqual(yield* petstore.deliveries.requeueAll({ status: "failed", webhookId: 2 }), { requeued: 0 })
      assert.deepStrictEqual(yield* petstore.deliveries.requeueAll({ status: "failed" }), { requeued: 1 })
      yield* settle
      assert.strictEqual(sent.length, before + 1)
      assert.deepStrictEqual(yield* idsOf(petstore, { status: "failed" }), [])
    })
  )

  it.effect("when more failed than one call schedules, then it returns where the next one begins", () =>
    Effect.gen(function* () {
      const { petstore, storage } = yield* given(51)
      const rows = yield* storage.scan(deliveries, [], 200)
      assert.lengthOf(rows, 102)
      yield* storage.run(function* (tx) {
        yield* tx.lockAll(webhooks, [1, 2])
        yield* writing(
          tx,
          rows.map((row) =>
            saved(deliveries, { ...row, delivery: { ...row.delivery, status: "failed" as const } }, row)
          )
        )
      })
      const { next, requeued } = yield* petstore.deliveries.requeueAll({ status: "failed" })
      assert.deepStrictEqual([requeued, next], [100, rows[99]?.delivery.id])
      assert.deepStrictEqual(yield* petstore.deliveries.requeueAll({ status: "failed", after: next ?? 0 }), {
        requeued: 2
      })
    })
  )
})

describe("given an endpoint that is created in a transaction", () => {
  it.effect("then it receives what follows in the transaction, and nothing from before", () =>
    Effect.gen(function* () {
      const { sender } = givenSender(() => Effect.succeed(delivered))
      const services = yield* Layer.build(Petstore.layer(adapterOf(), { webhooks: sender }))
      const petstore = Context.get(services, Petstore)
      yield* petstore.transaction((tx) =>
        Effect.gen(function* () {
          yield* tx.categories.create({ name: "Before" })
          yield* tx.webhooks.create({ url, types: ["category.created"] })
          yield* tx.categories.create({ name: "Behind" })
        })
      )
      yield* settle
      const { items } = yield* petstore.deliveries.list()
      assert.deepStrictEqual(
        items.map(({ subject }) => subject),
        ["categories/2"]
      )
    })
  )
})
