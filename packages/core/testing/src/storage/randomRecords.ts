import {
  type DeliveryAttempt,
  EventType,
  formatTimestamp,
  type Message,
  type MessageRecord,
  type Movement,
  nameKey,
  type OrderContent,
  reasonOf,
  type StoredAttempt
} from "@petstore/core/domain"
import { recordKeyOf } from "@petstore/core/tables"
import { type Arbitrary, all, array, Constant, map, sampleEffect, schema } from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as arbitraries from "../arbitraries.ts"
import { int, oneOf, struct } from "../combine.ts"
import type { StoreRecords } from "./allRows.ts"
import { webhookSecret } from "./rows.ts"

const boolean = schema(Schema.Boolean)
const version = oneOf(int(1, 9), Constant(Number.MAX_SAFE_INTEGER))

const some = <A>(one: Arbitrary<A>, count: number) => array(one, { minLength: count, maxLength: count })

/** The first ids of a store. */
const firstIds = (count: number): Arbitrary<ReadonlyArray<number>> =>
  Constant(Array.from({ length: count }, (_, index) => index + 1))

/** Ascending ids with gaps, the first of them above 1. */
const idsWithGaps = (count: number): Arbitrary<ReadonlyArray<number>> =>
  map(some(int(2, 1_000), count), (steps) => {
    let id = 0
    return steps.map((step) => (id += step))
  })

const bytes = map(array(int(0, 255), { minLength: 32, maxLength: 32 }), (all) => Uint8Array.from(all))

const storedAttempt = ({ at, durationMs, failure, message, responseStatus = 0 }: DeliveryAttempt): StoredAttempt =>
  failure === undefined ? [at, durationMs, responseStatus] : [at, durationMs, responseStatus, failure, message ?? ""]

const partsWith = (ids: typeof firstIds) => ({
  accountIds: ids(3),
  accounts: some(arbitraries.account, 3),
  keyIds: ids(6),
  keys: some(struct({ key: arbitraries.apiKey, digest: bytes, revoked: boolean }), 6),
  previous: some(
    oneOf<object>(Constant({}), struct({ previous: struct({ digest: bytes, until: arbitraries.timestamp }) })),
    6
  ),
  categoryIds: ids(4),
  categories: some(struct({ category: arbitraries.category, version, deleted: boolean }), 4),
  petIds: ids(12),
  pets: some(
    struct({ pet: arbitraries.pet, stock: arbitraries.stock, version, stockVersion: version, deleted: boolean }),
    12
  ),
  orderIds: ids(12),
  times: some(struct({ createdAt: arbitraries.timestamp, updatedAt: arbitraries.timestamp }), 12),
  records: some(arbitraries.recordEventData, 9),
  orders: some(struct({ order: arbitraries.orderContent, version, ended: boolean }), 12),
  movements: some(struct({ movement: arbitraries.movement, hasOrder: boolean }), 40),
  messages: some(arbitraries.queuedMessage, 6),
  events: some(arbitraries.category, 8),
  results: some(struct({ fingerprint: bytes, result: arbitraries.message, createdAt: arbitraries.timestamp }), 6),
  consumers: some(
    struct({
      attempts: int(0, 9),
      hasFailed: boolean,
      isHeld: boolean,
      message: arbitraries.message,
      position: int(0, Number.MAX_SAFE_INTEGER),
      types: array(schema(EventType), { maxLength: 3 })
    }),
    6
  ),
  webhookIds: ids(3),
  webhooks: some(struct({ webhook: arbitraries.webhook, version, deleted: boolean, rotated: boolean }), 3),
  deliveryIds: ids(12),
  deliveries: some(arbitraries.deliveryWithAttempts, 12)
})

const stored = (order: OrderContent, petId: number, ended: boolean): OrderContent => ({
  ...order,
  ...(order.petId === undefined ? {} : { petId }),
  ...(ended ? { state: order.expiresAt === undefined ? ("cancelled" as const) : ("expired" as const) } : {})
})

/** A message in one of the states that its status allows. */
const recordOf = (message: Message, index: number): MessageRecord => {
  const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
  const base = { ...message, attempts: index, lease: { fence: 2 * index }, ...(index % 3 === 0 ? {} : { trace }) }
  switch (message.status) {
    case "delivered":
      return { ...base, finishedAt: message.createdAt }
    case "failed":
      return { ...base, finishedAt: message.createdAt, lastError: "No connection" }
    case "queued":
      if (index === 0) return base
      return index % 2 === 0
        ? { ...base, dueAt: message.createdAt, lastError: message.message.slice(0, 40).toWellFormed() }
        : { ...base, lease: { ...base.lease, until: message.createdAt } }
  }
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table
const recordsWith = (ids: typeof firstIds): Arbitrary<StoreRecords> =>
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table
  map(all(partsWith(ids)), (random): StoreRecords => {
    const at = <A>(of: ReadonlyArray<A>, index: number): A => {
      const match = of[index % of.length]
      if (match === undefined) throw new Error("There is none")
      return match
    }
    const { accountIds, categoryIds, keyIds, orderIds, petIds } = random
    const recorded = [
      ["categories", categoryIds],
      ["orders", orderIds],
      ["pets", petIds]
    ] as const
    const petOf = (index: number) => at(petIds, index * 5)
    const movements = random.movements.map(({ hasOrder, movement }, index): Movement => {
      const { orderId: _, ...rest } = movement
      return {
        ...rest,
        petId: at(petIds, index),
        seq: 1 + Math.floor(index / petIds.length),
        kind: reasonOf(rest.kind) === undefined ? "set" : rest.kind,
        deltaReserved: 0,
        ...(hasOrder ? { orderId: at(orderIds, index) } : {})
      }
    })
    const orders = random.orders.map(({ ended, order, ...record }, index) => ({
      ...record,
      ...at(random.times, index),
      id: at(orderIds, index),
      order: stored(order, petOf(index), ended && order.state !== "complete"),
      // Never changes.
      ...(index % 2 === 0 ? {} : { owner: `7 user ${index % 4}` })
    }))
    return {
      accounts: random.accounts.map((account, index) => {
        const name = `${account.name} ${index}`
        return { account: { ...account, id: at(accountIds, index), name }, nameKey: nameKey(name) }
      }),
      apiKeys: random.keys.map(({ key, ...record }, index) => ({
        ...record,
        ...at(random.previous, index),
        key: { ...key, id: at(keyIds, index), accountId: at(accountIds, index) }
      })),
      categories: random.categories.map(({ category, ...record }, index) => {
        // Deleted categories may have had the same name.
        const name = record.deleted ? "Gone" : `${category.name} ${index}`
        return {
          ...record,
          ...at(random.times, index),
          category: { ...category, id: at(categoryIds, index), name },
          nameKey: nameKey(name)
        }
      }),
      pets: random.pets.map(({ deleted, pet: { status: _, ...details }, stock, ...versions }, index) => ({
        ...versions,
        ...at(random.times, index),
        ...details,
        id: at(petIds, index),
        categoryId: at(categoryIds, index),
        stock: deleted ? { onHand: 0, reserved: 0, held: false } : stock,
        lastMovement: movements.filter(({ petId }) => petId === at(petIds, index)).length,
        deleted
      })),
      orders,
      endings: orders
        .filter((_, index) => index % 3 > 0)
        .map(({ id, order: { petId }, owner }, index) => ({
          orderId: id,
          state: index % 2 === 0 ? ("cancelled" as const) : ("expired" as const),
          ...(petId === undefined ? {} : { petId }),
          ...(owner === undefined ? {} : { owner }),
          actor: `key:${index}`,
          ...(index % 2 === 0 ? { reason: `Änderung ${index}` } : {})
        })),
      records: recorded
        .flatMap(([kind, ids], place) =>
          random.records.slice(3 * place, 3 * place + 3).map(({ externalId, metadata }, index) => ({
            kind,
            id: at(ids, index),
            // Only a pet may have none.
            ...(externalId === undefined && kind === "pets" ? {} : { externalId: `${index} ${externalId}` }),
            metadata: { ...metadata, place: `${index}` },
            changes: 1 + index,
            ...(kind === "orders" && index % 2 === 1 ? { owner: `7 user ${index % 4}` } : {})
          }))
        )
        .sort((one, other) => (recordKeyOf(one) < recordKeyOf(other) ? -1 : 1)),
      movements: [...movements].sort((a, b) => a.petId - b.petId || a.seq - b.seq),
      // The first two events were removed from the log.
      checkpoints: [
        { subject: "categories/1", seq: 1, state: '{"name":"Ä 🐶"}' },
        { subject: "log", seq: 2, state: "{}" }
      ],
      events: random.events.map((category, index) => ({
        type: "category.created",
        subject: `categories/${category.id}`,
        data: { ...category, version: 1 },
        seq: index + 3,
        id: `evt_${index}`,
        timestamp: formatTimestamp(index)
      })),
      messages: random.messages.map((message, index) => recordOf({ ...message, id: `msg_${index}` }, index)),
      idempotency: random.results.map((result, index) => ({
        ...result,
        accountId: at(accountIds, Math.floor(index / 2)),
        key: `key-${index}`,
        operation: "pets.create"
      })),
      consumers: random.consumers.map(({ attempts, hasFailed, isHeld, message, position, types }, index) => ({
        name: `consumer-${index}`,
        position,
        lease: { fence: index, ...(isHeld ? { until: formatTimestamp(index) } : {}) },
        ...(isHeld ? { holder: message } : {}),
        ...(types.length === 0 ? {} : { types }),
        attempts: hasFailed ? attempts : 0,
        ...(hasFailed && attempts > 0 ? { retryAt: formatTimestamp(index) } : {}),
        ...(hasFailed ? { failure: { message, at: formatTimestamp(index) } } : {}),
        createdAt: formatTimestamp(index)
      })),
      parkedEvents: random.consumers.map(({ attempts, isHeld, message }, index) => ({
        consumer: `consumer-${Math.floor(index / 2)}`,
        seq: index + 1,
        attempts: attempts + 1,
        failure: message,
        parkedAt: formatTimestamp(index),
        replay: isHeld
      })),
      webhooks: random.webhooks.map(({ rotated, webhook, ...record }, index) => {
        const id = at(random.webhookIds, index)
        return {
          ...record,
          webhook: { ...webhook, id },
          secret: webhookSecret,
          ...(rotated ? { previous: { secret: webhookSecret, until: formatTimestamp(index) } } : {}),
          ...(rotated ? { failingSince: formatTimestamp(index) } : {}),
          route: { after: index, enabled: rotated, ...(rotated ? {} : { types: ["pet.created"] }) }
        }
      }),
      deliveries: random.deliveries.map(({ latestAttempts, ...delivery }, index) => ({
        delivery: {
          ...delivery,
          id: at(random.deliveryIds, index),
          webhookId: at(random.webhookIds, index),
          seq: 1 + Math.floor(index / random.webhookIds.length)
        },
        lease: { fence: index, ...(delivery.nextAttemptAt === undefined ? {} : { until: delivery.nextAttemptAt }) },
        ...(latestAttempts.length === 0 ? {} : { latestAttempts: latestAttempts.map(storedAttempt) })
      }))
    }
  })

const sampled = (records: Arbitrary<StoreRecords>): Effect.Effect<StoreRecords> =>
  Effect.map(Effect.orDie(sampleEffect(records, { count: 1 })), ([sample]) => {
    if (sample === undefined) throw new Error("A sample of one is empty")
    return sample
  })

/** The records of a store, random but for their keys and references. */
export const randomRecords = sampled(recordsWith(idsWithGaps))

/** The same with the ids that a store gives its first rows. */
export const firstRecords = sampled(recordsWith(firstIds))
