import * as Exit from "effect/Exit"
import { compareCodePoints, comparePets, isAfterCursor, matchesPetQuery } from "../adapter-toolkit/petQueries.ts"
import type { RowCalls } from "../adapter-toolkit/SynchronousConnection.ts"
import { parkedKeyOf } from "../domain/Consumer.ts"
import type { DeliveryStatus } from "../domain/Delivery.ts"
import { InternalError } from "../domain/errors/ServiceErrors.ts"
import { storedKeyOf } from "../domain/IdempotencyKey.ts"
import { unclaimed } from "../domain/Lease.ts"
import { limits } from "../domain/limits.ts"
import type { MessageRecord } from "../domain/MessageState.ts"
import type { ApiKeyRecord } from "../ports/ApiKeyRows.ts"
import type { LowestPosition } from "../ports/ConsumerRows.ts"
import type { DeliveryRecord, NewDelivery } from "../ports/DeliveryRows.ts"
import type { ClaimableQuery } from "../ports/MessageRows.ts"
import type { PetQuery, PetRecord } from "../ports/PetRows.ts"
import type { Rows } from "../ports/Rows.ts"
import { Duplicate } from "../ports/StorageError.ts"
import type { Filters } from "./MemoryIndex.ts"
import type { MemoryTable } from "./MemoryTable.ts"
import { deliveryKey, importKey, messageTime, neverDue, type Tables, withStock } from "./tables.ts"

const listPets = (pets: Tables["pets"], query: PetQuery): ReadonlyArray<PetRecord> => {
  const { after, afterName, categoryId, ids, limit, name, status } = query
  const isAfter = isAfterCursor(query)
  if (ids !== undefined) {
    const chosen = [...new Set(ids)].flatMap((id) => pets.find(id) ?? []).filter(matchesPetQuery(query))
    return chosen.filter(isAfter).sort(comparePets(query)).slice(0, limit)
  }
  if (name === undefined) return pets.list([status, categoryId], after, limit)
  const isBefore = (pet: PetRecord) => (afterName === undefined ? compareCodePoints(pet.name, name) < 0 : !isAfter(pet))
  return pets.range([status, categoryId], isBefore, (pet) => pet.name.startsWith(name), limit)
}

const everything = Number.POSITIVE_INFINITY

const lowestPosition = ({ consumers, parkedEvents }: Tables): LowestPosition | undefined => {
  const needed: ReadonlyArray<LowestPosition> = [
    ...consumers.scan("", everything).map(({ name, position }) => ({ consumer: name, position })),
    ...parkedEvents.scan("", everything).map(({ consumer, seq }) => ({ consumer, position: seq - 1 }))
  ]
  const [first, ...rest] = needed
  return first === undefined
    ? undefined
    : rest.reduce((lowest, one) => {
        const isLower = one.position - lowest.position || (one.consumer < lowest.consumer ? -1 : 1)
        return isLower < 0 ? one : lowest
      }, first)
}
const pendingOf = (webhookId: number) => [webhookId, "pending", undefined, undefined] as const

/** The queued messages with or without a lease. */
const isLeased = ["queued", true] as const
const isWaiting = ["queued", false] as const

/** Messages in the order of their times: those after a time, up to another one. */
const messagesBetween = (
  messages: Tables["messages"],
  filters: Filters,
  { after, to }: { readonly after?: string; readonly to?: string },
  limit: number
): ReadonlyArray<MessageRecord> =>
  messages.range(
    filters,
    (message) => after !== undefined && messageTime(message) <= after,
    (message) => to === undefined || messageTime(message) <= to,
    limit
  )

/** Messages that may be claimed: those with expired leases first, then those that are due. */
export const claimable = (
  messages: Tables["messages"],
  { limit, longestDelay, longestLease, now }: ClaimableQuery
): ReadonlyArray<MessageRecord> =>
  [
    ...messagesBetween(messages, isLeased, { to: now }, limit),
    ...messagesBetween(messages, isLeased, { after: longestLease }, limit),
    ...messagesBetween(messages, isWaiting, { to: now }, limit),
    ...messagesBetween(messages, isWaiting, { after: longestDelay }, limit)
  ].slice(0, limit)

/** Messages that were delivered before a time, the first ones first. */
export const deliveredBefore = (
  messages: Tables["messages"],
  before: string,
  limit: number
): ReadonlyArray<MessageRecord> =>
  messages.range(
    ["delivered", false],
    () => false,
    (message) => messageTime(message) < before,
    limit
  )

/** Adds the row of the next id. The row with the highest id is never removed, so no other row had it before. */
const add = <Row extends object>(table: MemoryTable<number, Row>, rowOf: (id: number) => Row): number => {
  const id = (table.lastKey ?? 0) + 1
  table.add(rowOf(id))
  return id
}

/** The deliveries of an endpoint that are due: in the order in which they are, then of ids. */
export const due = (
  deliveries: Tables["deliveries"],
  webhookId: number,
  at: string,
  limit: number
): ReadonlyArray<DeliveryRecord> =>
  deliveries.range(
    pendingOf(webhookId),
    () => false,
    ({ delivery: { nextAttemptAt = neverDue } }) => nextAttemptAt <= at,
    limit
  )

/** The deliveries to an endpoint of the events after a `seq`, in ascending `seq`. */
export const deliveriesOf = (
  { deliveries, deliveryIds }: Pick<Tables, "deliveries" | "deliveryIds">,
  webhookId: number,
  after: number,
  limit: number
): ReadonlyArray<DeliveryRecord> => {
  const ofWebhook = deliveryKey({ webhookId, seq: 0 }).slice(0, 16)
  return deliveryIds
    .scan(deliveryKey({ webhookId, seq: Math.min(after, limits.id) }), limit)
    .flatMap(({ id, key }) => (key.startsWith(ofWebhook) ? (deliveries.find(id) ?? []) : []))
}

export const addDeliveries = (
  { deliveries, deliveryIds }: Pick<Tables, "deliveries" | "deliveryIds">,
  added: ReadonlyArray<NewDelivery>
): void => {
  for (const delivery of added) {
    const id = add(
      deliveries,
      (next): DeliveryRecord => ({
        delivery: { id: next, ...delivery, status: "pending", attempts: 0 },
        lease: unclaimed
      })
    )
    deliveryIds.add({ key: deliveryKey(delivery), id })
  }
}

export const removeDelivery = (
  { deliveries, deliveryIds }: Pick<Tables, "deliveries" | "deliveryIds">,
  record: DeliveryRecord
): void => {
  deliveries.remove(record)
  deliveryIds.remove({ key: deliveryKey(record.delivery), id: record.delivery.id })
}

/** The operations of a store. There is one writer at a time, so reading a row in a transaction locks it. */
export const rows = (store: RowCalls, tables: Tables): Rows => {
  const {
    accounts,
    apiKeys,
    categories,
    checkpoints,
    events,
    idempotency,
    imports,
    messages,
    movements,
    orders,
    pets
  } = tables
  const { consumers, parkedEvents } = tables
  const { deliveries, webhooks } = tables

  /** What tables with numeric ids have in common. */
  const byId = <Row extends object>(table: MemoryTable<number, Row>) => ({
    find: (id: number) => store.read(() => table.find(id)),
    lock: (id: number) => store.lock(() => table.find(id)),
    list: (after: number, limit: number) => store.read(() => table.list([undefined], after, limit)),
    scan: (after: number, limit: number) => store.read(() => table.scan(after, limit)),
    save: (row: Row) => store.write(() => table.replace(row))
  })

  const byName = <Row extends object>(table: MemoryTable<number, Row>, nameKey: string): Row | undefined =>
    table.last([nameKey])

  return {
    pets: {
      ...byId(pets),
      list: (query) => store.read(() => listPets(pets, query)),
      insert: (pet) => store.write(() => add(pets, (id) => ({ ...pet, id }))),
      insertAll: (added) => store.write(() => added.map((pet) => add(pets, (id) => ({ ...pet, id })))),
      saveStock: (saved) =>
        store.write(() => {
          const pet = pets.get(saved.id)
          if (pet !== undefined && !pet.deleted) pets.replaceAlike(withStock(pet, saved))
        })
    },
    categories: {
      ...byId(categories),
      findByName: (nameKey) => store.read(() => byName(categories, nameKey)),
      lockShared: (id) => store.lock(() => categories.find(id)),
      insert: ({ category, ...rest }) =>
        store.attempt(() =>
          byName(categories, rest.nameKey) === undefined
            ? Exit.succeed(add(categories, (id) => ({ ...rest, category: { id, ...category }, deleted: false })))
            : Exit.fail(new Duplicate({ value: rest.nameKey }))
        ),
      save: (record) =>
        store.attempt(() => {
          const holder = byName(categories, record.nameKey)?.category.id
          return record.deleted || holder === undefined || holder === record.category.id
            ? Exit.succeed(categories.replace(record))
            : Exit.fail(new Duplicate({ value: record.nameKey }))
        })
    },
    orders: {
      ...byId(orders),
      list: ({ after, complete, limit, owner, petId }) =>
        store.read(() =>
          owner === undefined
            ? orders.list([complete, petId], after, limit)
            : orders.listOwned([owner, complete, petId], after, limit)
        ),
      insert: (order) => store.write(() => add(orders, (id) => ({ ...order, id }))),
      owners: (ids) =>
        store.read(() =>
          [...new Set(ids)].flatMap((id) => {
            const owner = orders.get(id)?.owner
            return owner === undefined ? [] : { id, owner }
          })
        )
    },
    movements: {
      append: (movement) => store.write(() => movements.append(movement.petId, movement)),
      appendAll: (added) =>
        store.write(() => {
          for (const movement of added) movements.append(movement.petId, movement)
        }),
      list: (petId, after, limit) => store.read(() => movements.list(petId, after, limit)),
      scan: ({ petId, seq }, limit) => store.read(() => movements.scan(petId, seq, limit))
    },
    events: {
      append: (event) => store.write(() => events.append(event)),
      appendAll: (added) =>
        store.write(() => {
          for (const event of added) events.append(event)
        }),
      latest: store.read(() => events.last),
      scan: (after, limit) => store.read(() => events.list(after, limit)),
      scanDeferred: (after, limit) => store.read(() => events.defer(after, limit)),
      find: (seqs) =>
        store.read(() => [...new Set(seqs)].sort((a, b) => a - b).flatMap((seq) => events.find(seq) ?? [])),
      trim: (through) =>
        store.attempt(() => {
          const last = Math.min(through, events.last - 1)
          return last > (checkpoints.get("log")?.seq ?? 0)
            ? Exit.fail(new InternalError({}, { cause: new Error("Only events of the checkpoint can be removed") }))
            : Exit.succeed(events.trim(last))
        })
    },
    checkpoints: {
      find: (subjects) => store.read(() => subjects.flatMap((subject) => checkpoints.find(subject) ?? [])),
      lock: (subject) => store.lock(() => checkpoints.find(subject)),
      save: (records) =>
        store.write(() => {
          for (const record of records) checkpoints.put(record)
        }),
      remove: (subjects) =>
        store.write(() => {
          for (const subject of subjects) {
            const record = checkpoints.find(subject)
            if (record !== undefined) checkpoints.remove(record)
          }
        }),
      scan: (after, limit) => store.read(() => checkpoints.scan(after, limit))
    },
    messages: {
      find: (id) => store.read(() => messages.find(id)),
      lock: (id) => store.lock(() => messages.find(id)),
      list: ({ status, after, limit }) => store.read(() => messages.list([status, undefined], after, limit)),
      count: (status, most) => store.read(() => Math.min(messages.count([status, undefined]), most)),
      insert: (message) => store.write(() => messages.add(message)),
      save: (message) => store.write(() => messages.replace(message)),
      remove: (id) =>
        store.write(() => {
          const message = messages.find(id)
          if (message !== undefined) messages.remove(message)
        }),
      nextDue: store.read(() => {
        const first = [isLeased, isWaiting].flatMap((filters) =>
          messagesBetween(messages, filters, {}, 1).map(messageTime)
        )
        return first.sort()[0]
      }),
      lockClaimable: (query) => store.lock(() => claimable(messages, query)),
      lockDelivered: (before, limit) => store.lock(() => deliveredBefore(messages, before, limit))
    },
    accounts: {
      find: (id) => store.read(() => accounts.find(id)?.account),
      findByName: (nameKey) => store.read(() => byName(accounts, nameKey)?.account),
      list: (after, limit) => store.read(() => accounts.scan(after, limit).map(({ account }) => account)),
      insert: ({ nameKey, ...account }) =>
        store.attempt(() =>
          byName(accounts, nameKey) === undefined
            ? Exit.succeed(add(accounts, (id) => ({ account: { id, ...account }, nameKey })))
            : Exit.fail(new Duplicate({ value: nameKey }))
        )
    },
    apiKeys: {
      ...byId(apiKeys),
      otherAdminExists: (id, at) => {
        const isOther = ({ key }: ApiKeyRecord) => key.id !== id && (key.expiresAt === undefined || key.expiresAt > at)
        return store.lock(() => apiKeys.list([true], 0, Number.POSITIVE_INFINITY).some(isOther))
      },
      insert: (record) => store.write(() => add(apiKeys, (id) => ({ ...record, key: { id, ...record.key } }))),
      touch: (id, lastUsedAt) =>
        store.write(() => {
          const record = apiKeys.find(id)
          if (record !== undefined) apiKeys.put({ ...record, key: { ...record.key, lastUsedAt } })
        })
    },
    idempotency: {
      lock: (accountId, key) => store.lock(() => idempotency.find(storedKeyOf({ accountId, key }))),
      save: (record) => store.write(() => idempotency.put(record)),
      purge: (before, limit) =>
        store.write(() => {
          const expired = idempotency.range(
            [],
            () => false,
            ({ createdAt }) => createdAt < before,
            limit
          )
          for (const record of expired) idempotency.remove(record)
        }),
      scan: (after, limit) => store.read(() => idempotency.scan(storedKeyOf(after), limit))
    },
    imports: {
      lock: (file) => store.lock(() => imports.last([file])),
      append: (batch) => store.write(() => imports.add(batch)),
      scan: (after, limit) => store.read(() => imports.scan(importKey(after), limit))
    },
    consumers: {
      find: (name) => store.read(() => consumers.find(name)),
      lock: (name) => store.lock(() => consumers.find(name)),
      list: (after, limit) => store.read(() => consumers.scan(after, limit)),
      lowest: store.read(() => lowestPosition(tables)),
      insert: (record) =>
        store.attempt(() =>
          consumers.get(record.name) === undefined
            ? Exit.succeed(consumers.add(record))
            : Exit.fail(new Duplicate({ value: record.name }))
        ),
      save: (record) => store.write(() => consumers.replace(record)),
      remove: (name) =>
        store.write(() => {
          const record = consumers.find(name)
          if (record !== undefined) consumers.remove(record)
        })
    },
    parkedEvents: {
      find: (key) => store.read(() => parkedEvents.find(parkedKeyOf(key))),
      list: (consumer, seq, limit) =>
        store.read(() => parkedEvents.list([consumer, undefined], parkedKeyOf({ consumer, seq }), limit)),
      listReplays: (consumer, seq, limit) =>
        store.read(() => parkedEvents.list([consumer, true], parkedKeyOf({ consumer, seq }), limit)),
      scan: (after, limit) => store.read(() => parkedEvents.scan(parkedKeyOf(after), limit)),
      save: (record) => store.write(() => parkedEvents.put(record)),
      remove: (key) =>
        store.write(() => {
          const record = parkedEvents.find(parkedKeyOf(key))
          if (record !== undefined) parkedEvents.remove(record)
        })
    },
    webhooks: {
      ...byId(webhooks),
      list: (after, limit) => store.read(() => webhooks.list([], after, limit)),
      insert: ({ webhook, ...rest }) =>
        store.write(() => add(webhooks, (id) => ({ ...rest, webhook: { id, ...webhook }, deleted: false })))
    },
    deliveries: {
      find: (id) => store.read(() => deliveries.find(id)),
      list: ({ after, limit, status, webhookId }) =>
        store.read(() => deliveries.list([webhookId, status, undefined, undefined], after, limit)),
      ofEvents: (webhookId, after, limit) => store.read(() => deliveriesOf(tables, webhookId, after, limit)),
      scan: (after, limit) => store.read(() => deliveries.scan(after, limit)),
      due: (webhookId, at, limit) => store.read(() => due(deliveries, webhookId, at, limit)),
      nextDue: (webhookId) =>
        store.read(
          () =>
            deliveries.range(
              pendingOf(webhookId),
              () => false,
              () => true,
              1
            )[0]?.delivery.nextAttemptAt
        ),
      leased: (webhookId, at) =>
        store.read(
          () =>
            deliveries
              .list([webhookId, "pending", true, undefined], 0, Number.POSITIVE_INFINITY)
              .filter(({ lease: { until = "" } }) => until > at).length
        ),
      pending: (webhookId, subject, limit) =>
        store.read(() => deliveries.list([webhookId, "pending", undefined, subject], 0, limit)),
      backlogs: (limit, most) =>
        store.read(() =>
          webhooks.list([], 0, limit).map(({ webhook: { enabled, id } }) => {
            const count = (status: DeliveryStatus) =>
              Math.min(deliveries.count([id, status, undefined, undefined]), most)
            const oldest = deliveries.list([id, "pending", undefined, undefined], 0, 1)[0]?.delivery.createdAt
            return {
              webhookId: id,
              enabled,
              pending: count("pending"),
              failed: count("failed"),
              ...(oldest === undefined ? {} : { oldest })
            }
          })
        ),
      insertAll: (added) => store.write(() => addDeliveries(tables, added)),
      save: (record) => store.write(() => deliveries.replace(record)),
      remove: ({ id }) =>
        store.write(() => {
          const record = deliveries.find(id)
          if (record !== undefined) removeDelivery(tables, record)
        })
    }
  }
}
