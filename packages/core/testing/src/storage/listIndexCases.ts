import { type ListIndex, StockRules } from "@petstore/core/domain"
import type { EventRecord, EventToAppend } from "@petstore/core/ports"
import * as tables from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import type { StoreRecords } from "./allRows.ts"
import { optionalCases } from "./cases.ts"
import { each, inTurn, refuse } from "./programs.ts"
import { type Ask, ask, askThese, combined } from "./queryCases.ts"
import { at } from "./rows.ts"
import type { TestedStore, TestedTransaction } from "./TestedStore.ts"
import { givenRecords } from "./tableCases.ts"

type Place = NonNullable<tables.PetQuery["time"]>

/** Times between those of rows, at them, and of none. */
const placesIn = (rows: ReadonlyArray<{ readonly createdAt: string; readonly updatedAt: string }>) => {
  const times = rows.flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt])
  const some = [undefined, times[2]]
  return combined<Place>({
    by: ["createdAt", "updatedAt"],
    from: some,
    before: some,
    behind: [undefined, times[0], times[3]] as ReadonlyArray<string>
  })
    .filter(
      ({ before, behind, from }) =>
        behind === undefined || ((from ?? behind) <= behind && (before === undefined || behind < before))
    )
    .map(({ behind, ...place }) => (behind === undefined ? place : { ...place, behind }))
}

const keys = [
  "chip",
  "a.b:c-d_E",
  "constructor",
  "petstore_x",
  "petstore",
  "my-petstore:id",
  "CHIP",
  `k${"x".repeat(39)}`
]

const asks: ReadonlyArray<Ask> = [
  ask(tables.petsBy, ({ pets }) =>
    combined<tables.PetQuery>({
      time: placesIn(pets),
      status: [undefined, "available"],
      categoryId: [undefined, 1],
      after: [7]
    })
  ),
  ask(tables.petsReversedBy, ({ pets }) =>
    combined<tables.PetQuery>({ time: placesIn(pets), status: [undefined], after: [7] })
  ),
  ask(tables.ordersBy, ({ orders }) =>
    combined<tables.OrderQuery>({
      time: placesIn(orders),
      state: [undefined, "open"],
      owner: [undefined, "7 user 1"],
      after: [5]
    })
  ),
  ask(tables.ordersReversedBy, ({ orders }) =>
    combined<tables.OrderQuery>({ time: placesIn(orders), owner: [undefined, "7 user 1"], after: [5] })
  ),
  ask(tables.categoriesAfter, ({ categories }) =>
    combined<tables.CategoryQuery>({ time: placesIn(categories), after: [2] })
  ),
  ask(tables.categoriesBefore, ({ categories }) =>
    combined<tables.CategoryQuery>({ time: placesIn(categories), after: [2] })
  ),
  ...[tables.petsByAvailable, tables.petsReversedByAvailable].map((by) =>
    ask(by, ({ pets }) =>
      combined<tables.StockQuery>({
        from: [undefined, 0, 1],
        before: [undefined, 0, 3, 2 ** 31],
        after: [undefined, ...pets.slice(0, 4).map(({ id, stock }) => [StockRules.available(stock), id] as const)]
      }).filter(
        ({ after, before = 2 ** 31, from = 0 }) => after === undefined || (after[0] >= from && after[0] < before)
      )
    )
  ),
  ...keys.flatMap((key) => {
    const { by, reversedBy } = tables.recordsByKey("pets", key)
    const ofOrders = tables.recordsByKey("orders", key)
    const values = { value: ["1", "é"], after: [0, 3] }
    const owner = [undefined, "7 user 1", "7"]
    return [
      ask(by, () => combined({ ...values, owner: [undefined] })),
      ask(reversedBy, () => combined({ ...values, owner: [undefined] })),
      ask(ofOrders.by, () => combined({ ...values, owner })),
      ask(ofOrders.reversedBy, () => combined({ ...values, owner }))
    ]
  })
]

const indexes: ReadonlyArray<ListIndex> = [
  "inventory.available",
  ...(["pets", "categories", "orders"] as const).flatMap((kind) => [`${kind}.createdAt`, `${kind}.updatedAt`] as const),
  ...keys.flatMap((key) => [`pets.metadata.${key}`, `orders.metadata.${key}`] as const)
]

const long = "é".repeat(600)

/** Records with values of the keys, and one that is too long for an index. */
const withMetadata = (records: StoreRecords): StoreRecords => ({
  ...records,
  records: records.records.map((record, index) => ({
    ...record,
    metadata: Object.fromEntries(
      keys.flatMap((key, place) => {
        const value = ["1", "2", "é", undefined, long][(index + place) % 5]
        return value === undefined ? [] : [[key, value]]
      })
    )
  }))
})

/** Saves live rows and records, in a transaction. */
function* change(tx: TestedTransaction, { orders, pets, records }: StoreRecords) {
  yield* each(pets.filter(tables.schema.pets.isLive), (pet) => tx.pets.save(pet))
  yield* each(orders.filter(tables.schema.orders.isLive), (order) => tx.orders.save(order))
  yield* each(records, (record) => tx.records.save(record))
}

/** How a store builds indexes, if it can. */
const partOf = ({ opened: { buildIndexes } }: TestedStore) =>
  buildIndexes === undefined ? undefined : { buildIndexes }

/** Events of several collections, whose ids begin alike, in forms that a log may shorten, and in others. */
const someEvents = (first: number): ReadonlyArray<EventToAppend> =>
  [1, 12, 2].flatMap((id, index): ReadonlyArray<EventToAppend> => {
    const made = (n: number) => ({
      id: `evt_${Date.parse(at(n)).toString(36).padStart(9, "0")}${first + 10 * index + n}`.padEnd(26, "0"),
      timestamp: at(n)
    })
    const order = { id, complete: false, state: "draft", version: 1 } as const
    return [
      { id: `evt_${first + index}`, timestamp: at(1), type: "order.placed", subject: `orders/${id}`, data: order },
      { ...made(2), type: "order.updated", subject: `orders/${id}`, data: { ...order, version: 2 } },
      { ...made(3), type: "order.cancelled", subject: `orders/${id}`, data: { id } },
      { ...made(4), type: "pet.deleted", subject: `pets/${id}`, data: { id } },
      { ...made(5), type: "message.deleted", subject: `messages/msg_${id}`, data: { id: `msg_${id}` } }
    ]
  })

const subjects = ["orders/1", "orders/12", "orders/2", "pets/1", "pets/12", "messages/msg_1", "categories/1"]

/** Asks for the events of each subject in both directions, in pages, and compares them with the log. */
const readSubjects = Effect.fnUntraced(function* (store: TestedStore["opened"]) {
  const { ofSubject, scan } = store.events
  if (ofSubject === undefined) throw new Error("a store that builds indexes has that of events")
  const log = yield* scan(0, 1_000)
  for (const subject of subjects) {
    const expected = log.filter((event) => event.subject === subject)
    for (const limit of [1, 2, 100]) {
      for (const isReversed of [false, true]) {
        const events: Array<EventRecord> = []
        let position = isReversed ? 1_000 : 0
        for (let isEnd = false; !isEnd; ) {
          const page = yield* ofSubject(subject, position, limit, isReversed)
          events.push(...page)
          position = page.at(-1)?.seq ?? position
          isEnd = page.length < limit
        }
        assertEqual(events, isReversed ? expected.toReversed() : expected, `${subject}, ${limit} at a time`)
      }
    }
  }
})

export const listIndexCases = optionalCases("storage: indexes of lists", partOf, {
  *"an index that is built has the rows that there are, and those that are written later"(store, { buildIndexes }) {
    const first = yield* givenRecords(store)
    yield* buildIndexes(indexes)
    yield* askThese(asks, store.opened, first, 9)
    const shifted = withMetadata({
      ...first,
      pets: first.pets.map((pet, index) => ({
        ...pet,
        updatedAt: first.orders[index % 4]?.updatedAt ?? pet.updatedAt
      })),
      orders: first.orders.map((order, index) => ({ ...order, createdAt: first.orders[index % 3]?.createdAt ?? "" }))
    })
    yield* store.run((tx) => change(tx, shifted))
    yield* askThese(asks, store.opened, shifted)
    yield* store.opened.snapshot(askThese(asks, store.opened, shifted, 7))
    assertEqual(yield* store.inspect, [])
  },
  *"an index of events has those that there are and those that are written later, without what is trimmed"(
    store,
    { buildIndexes }
  ) {
    yield* store.run((tx) => tx.events.append(...someEvents(1_000)))
    yield* buildIndexes(["events.subject"])
    yield* readSubjects(store.opened)
    yield* store.run((tx) => tx.events.append(...someEvents(2_000)))
    yield* readSubjects(store.opened)
    yield* store.opened.snapshot(readSubjects(store.opened))
    yield* Effect.exit(store.run((tx) => inTurn(tx.events.append(...someEvents(3_000)), refuse())))
    yield* store.run((tx) => inTurn(tx.checkpoints.save({ subject: "log", seq: 7, state: "{}" }), tx.events.trim(7)))
    yield* readSubjects(store.opened)
    assertEqual(yield* store.inspect, [])
    yield* buildIndexes([], { dropsOthers: true })
    yield* store.run((tx) => tx.events.append(...someEvents(4_000)))
    yield* buildIndexes(["events.subject"])
    yield* readSubjects(store.opened)
  },
  *"indexes are built once, together, and dropped only if that is asked for"(store, { buildIndexes }) {
    const records = withMetadata(yield* givenRecords(store))
    yield* store.run((tx) => change(tx, records))
    yield* Effect.all(
      [indexes.slice(0, 4), indexes.slice(2), indexes].map((some) => buildIndexes(some)),
      { concurrency: "unbounded", discard: true }
    )
    yield* buildIndexes([])
    yield* askThese(asks, store.opened, records, 5)
    yield* buildIndexes(["pets.createdAt"], { dropsOthers: true })
    yield* store.run((tx) => change(tx, records))
    yield* buildIndexes(indexes)
    yield* askThese(asks, store.opened, records, 5)
  }
})
