/** Calls of the port for tests of plans: what a store is asked for, of every table. */

import type { ListIndex } from "@petstore/core/domain"
import type { Query, Table, Write } from "@petstore/core/kernel"
import type { Rows, RunCommand, StorageError } from "@petstore/core/ports"
import {
  accounts,
  accountsAfter,
  accountsBefore,
  accountsByName,
  adminKeysAfter,
  allDeliveriesBy,
  allDeliveriesReversedBy,
  apiKeys,
  apiKeysAfter,
  apiKeysBefore,
  categories,
  categoriesAfter,
  categoriesBefore,
  categoriesByName,
  checkpoints,
  claimableMessages,
  consumers,
  deliveredMessages,
  deliveries,
  deliveriesBy,
  deliveriesOfEvents,
  deliveriesReversedBy,
  draftsOf,
  dueDeliveries,
  dueMessages,
  endings,
  endingsBy,
  endingsReversedBy,
  endpoints,
  endpointsReversed,
  idempotencyKeys,
  leasedDeliveries,
  leasedMessages,
  messages,
  messagesBy,
  messagesReversedBy,
  movements,
  movementsOf,
  movementsReversedOf,
  openOrdersOf,
  orderOf,
  orders,
  ordersBy,
  ordersExpiringAfter,
  ordersReversedBy,
  parkedEvents,
  parkedEventsOf,
  pendingDeliveries,
  petIdsBy,
  pets,
  petsBy,
  petsByAvailable,
  petsInCategory,
  petsReversedBy,
  petsReversedByAvailable,
  recordsByExternalId,
  recordsByKey,
  replaysOf,
  shownPetsBy,
  shownPetsReversedBy,
  versionedPets,
  waitingMessages,
  webhooks
} from "@petstore/core/tables"
import type * as Effect from "effect/Effect"
import { writing } from "../../../core/test/support/writes.ts"

/** What a store is asked for: reads, and the steps of commands. */
export interface Asked extends Rows {
  lock<Row, Key extends number | string>(
    table: Table<Row, Key>,
    key: Key,
    isShared?: boolean
  ): Effect.Effect<unknown, StorageError>
  claim<Row, Argument, Key extends number | string>(
    query: Query<Row, Argument, Key>,
    argument: Argument,
    limit: number
  ): Effect.Effect<unknown, StorageError>
  write(writes: ReadonlyArray<Write>): Effect.Effect<unknown, StorageError>
}

/** Makes each step a command of its own. */
export const askedOf = (
  rows: Rows,
  run: RunCommand,
  write: Asked["write"] = (writes) => run((tx) => writing(tx, writes))
): Asked => ({
  ...rows,
  lock: (table, key, isShared = false) =>
    run(function* (tx) {
      return yield* isShared ? tx.lockShared(table, key) : tx.lock(table, key)
    }),
  claim: (query, argument, limit) =>
    run(function* (tx) {
      return yield* tx.claim(query, argument, limit)
    }),
  write
})

export const petQueries = [undefined, "available" as const].flatMap((status) =>
  [undefined, 3].flatMap((categoryId) =>
    [undefined, "", "Re", "\u{10FFFF}"].flatMap((name) =>
      [{ after: 0 }, { after: 7, afterName: "Rex" }].map((place) => ({ status, categoryId, name, ...place }))
    )
  )
)

export const orderQueries = [undefined, "7 ada"].flatMap((owner) =>
  [undefined, 3].flatMap((petId) => [
    ...[undefined, true, false].map((complete) => ({ owner, petId, complete, after: 7 })),
    { owner, petId, state: "open" as const, after: 7 }
  ])
)

export const endingQueries = [undefined, "7 ada"].flatMap((owner) =>
  [undefined, 3].map((petId) => ({ owner, petId, state: "cancelled" as const, after: 7 }))
)

/** The indexes of lists that these calls need. */
export const listIndexes: ReadonlyArray<ListIndex> = [
  ...(["pets", "categories", "orders"] as const).flatMap((kind) => [`${kind}.createdAt`, `${kind}.updatedAt`] as const),
  "inventory.available",
  "pets.metadata.chip",
  "orders.metadata.chip"
]

const times = (["createdAt", "updatedAt"] as const).flatMap((by) => [
  { by, from: "2025", before: "2027" },
  { by, from: "2025", before: undefined, behind: "2026" },
  { by, from: undefined, before: "2027", behind: "2026" }
])

/** Pages of lists by times and by metadata. */
const recordPages = ({ select }: Rows) => {
  const [ofPets, ofOrders] = [recordsByKey("pets", "chip"), recordsByKey("orders", "chip")]
  return [
    ...[petsByAvailable, petsReversedByAvailable].flatMap((by) => [
      select(by, {}, 20),
      select(by, { from: 1, before: 5, after: [2, 7] as const }, 20)
    ]),
    ...times.flatMap((time) =>
      [undefined, "available" as const].flatMap((status) =>
        [undefined, 3].flatMap((categoryId) => [
          select(petsBy, { status, categoryId, time, after: 7 }, 20),
          select(petsReversedBy, { status, categoryId, time, after: 7 }, 20)
        ])
      )
    ),
    ...times.flatMap((time) =>
      [undefined, "7 ada"].flatMap((owner) => [
        select(ordersBy, { owner, state: "open", time, after: 7 }, 20),
        select(ordersBy, { owner, time, after: 7 }, 20),
        select(ordersReversedBy, { owner, time, after: 7 }, 20)
      ])
    ),
    ...times.flatMap((time) => [
      select(categoriesAfter, { time, after: 7 }, 20),
      select(categoriesBefore, { time, after: 7 }, 20)
    ]),
    ...[ofPets.by, ofPets.reversedBy, ofOrders.by].map((query) => select(query, { value: "276", after: 7 }, 20)),
    select(ofOrders.reversedBy, { value: "276", owner: "7 ada", after: 7 }, 20)
  ]
}

/** Pages of lists, which begin behind a place, and of scans. */
export const pages = ({ events, scan, select, ...rows }: Rows) => [
  ...recordPages({ events, scan, select, ...rows }),
  ...petQueries.map((query) => select(petsBy, query, 20)),
  ...petQueries.map((query) => select(shownPetsBy, query, 20)),
  ...petQueries.filter(({ name }) => name === undefined).map((query) => select(petIdsBy, query, 20)),
  ...petQueries.map((query) => select(petsReversedBy, query, 20)),
  ...petQueries.map((query) => select(shownPetsReversedBy, query, 20)),
  ...orderQueries.map((query) => select(ordersBy, query, 20)),
  ...orderQueries.map((query) => select(ordersReversedBy, query, 20)),
  ...endingQueries.map((query) => select(endingsBy, query, 20)),
  ...endingQueries.map((query) => select(endingsReversedBy, query, 20)),
  select(petsInCategory, 3, 20),
  select(categoriesAfter, { after: 7 }, 20),
  select(movementsOf, { petId: 3, after: 7 }, 20),
  select(messagesBy, { status: "queued", after: "msg_7" }, 20),
  select(apiKeysAfter, 7, 20),
  select(endpoints, 7, 20),
  select(deliveriesBy, { webhookId: 1, after: 7 }, 20),
  select(deliveriesBy, { webhookId: 1, status: "pending", after: 7 }, 20),
  select(accountsAfter, 7, 20),
  select(accountsBefore, 7, 20),
  select(categoriesBefore, { after: 7 }, 20),
  select(movementsReversedOf, { petId: 3, after: 7 }, 20),
  select(messagesReversedBy, { status: undefined, after: "msg_7" }, 20),
  select(messagesReversedBy, { status: "queued", after: "msg_7" }, 20),
  select(apiKeysBefore, 7, 20),
  select(endpointsReversed, 7, 20),
  select(deliveriesReversedBy, { webhookId: 1, after: 7 }, 20),
  ...[{}, { status: "failed" as const }, { subject: "orders/7" }].flatMap((filter) => [
    select(allDeliveriesBy, { ...filter, after: 7 }, 20),
    select(allDeliveriesReversedBy, { ...filter, after: 7 }, 20)
  ]),
  select(deliveriesOfEvents, { webhookId: 1, after: 7 }, 20),
  select(dueDeliveries, { webhookId: 1, at: "2026" }, 20),
  select(parkedEventsOf, { consumer: "c7", after: 7 }, 20),
  select(replaysOf, { consumer: "c7", after: 7 }, 20),
  events.scan(7, 20),
  ...[accounts, apiKeys, categories, pets, orders, endings, webhooks, deliveries].map((table) =>
    scan(table as typeof pets, [7], 20)
  ),
  scan(movements, [3, 7], 20),
  scan(checkpoints, ["orders/7"], 20),
  scan(messages, ["msg_7"], 20),
  scan(idempotencyKeys, [1, "a"], 20),
  scan(consumers, ["c7"], 20),
  scan(parkedEvents, ["c7", 7], 20)
]

/** Rows that are found by their keys, or by the names that they alone have. */
export const lookUps = ({ find, findAll, lock, select }: Asked) => [
  find(pets, 1),
  find(versionedPets, 1),
  lock(pets, 1),
  lock(pets, 1, true),
  findAll(pets, [1, 2, 3]),
  find(categories, 1),
  lock(categories, 1),
  lock(categories, 1, true),
  select(categoriesByName, "dogs", 1),
  find(orders, 1),
  select(orderOf, { id: 1, owner: "7 ada" }, 1),
  select(recordsByExternalId, { kind: "orders", externalId: "A-1" }, 1),
  select(recordsByExternalId, { kind: "orders", externalId: "A-1", owner: "7 ada" }, 1),
  lock(orders, 1),
  findAll(orders, [1, 2, 3]),
  select(openOrdersOf, "7 ada", 20),
  select(draftsOf, "7 ada", 20),
  select(ordersExpiringAfter, "2027", 20),
  find(messages, "msg_1"),
  find(accounts, 1),
  select(accountsByName, "till", 1),
  find(apiKeys, 1),
  lock(idempotencyKeys, "0000000000000001 a"),
  lock(checkpoints, "log"),
  findAll(checkpoints, ["log", "orders/7"]),
  find(webhooks, 1),
  lock(webhooks, 1),
  find(deliveries, 1),
  find(consumers, "c7"),
  lock(consumers, "c7")
]

/** The messages that workers look for. */
export const messagesToDeliver = ({ claim, select }: Asked) => [
  select(leasedMessages, undefined, 1),
  select(waitingMessages, undefined, 1),
  claim(claimableMessages, "2026-01-01T00:00:00.000Z", 20),
  claim(dueMessages, "2026-01-01T00:00:00.000Z", 20),
  claim(deliveredMessages, "2026", 20)
]

/** The deliveries of an endpoint that lanes look for. */
export const deliveriesToMake = ({ count, select }: Rows) => [
  select(dueDeliveries, { webhookId: 1, at: "2026" }, 20),
  count(leasedDeliveries, { webhookId: 1, after: "2026" }, 100),
  select(pendingDeliveries, { webhookId: 1, subject: "pets/1" }, 1)
]

/** How long queues are. */
export const lengths = ({ count }: Rows) => [
  count(messagesBy, { status: "queued", after: "" }, 1_000),
  count(deliveriesBy, { webhookId: 1, status: "failed", after: 0 }, 1_000)
]

export const adminKeys = ({ select }: Rows) => [select(adminKeysAfter, 0, 2)]
