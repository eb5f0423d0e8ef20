import type { OrderContent } from "@petstore/core/domain"
import type { Value } from "@petstore/core/kernel"
import type { TableName } from "@petstore/core/ports"
import { schema } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { assertEqual, assertTrue } from "../check.ts"
import { allRows, type StoreRecords } from "./allRows.ts"
import { storageCases } from "./cases.ts"
import { outcome, wasRefused } from "./outcomes.ts"
import { each, inTurn, refuse } from "./programs.ts"
import { firstRecords } from "./randomRecords.ts"
import { newEvent } from "./rows.ts"
import { type AnyTable, rowsIn, type TestedStore, type TestedTransaction, tableOf, tables } from "./TestedStore.ts"

const all = 1_000

export const rowsOf = (records: StoreRecords, { name }: AnyTable): ReadonlyArray<object> => records[name as TableName]

/** Adds rows of every table, in the order of their references; a part of a transaction. */
const addAll = (tx: TestedTransaction, records: StoreRecords) =>
  each(tables, (table) => rowsIn(tx, table).insertAll(rowsOf(records, table)))

/** Rows of every table, committed. */
export const givenRecords = (store: TestedStore) =>
  Effect.tap(firstRecords, (records) => store.run((tx) => addAll(tx, structuredClone(records))))

/** Throws unless a store has these rows, and nothing else in the tables. */
const has = (store: TestedStore, records: StoreRecords, about: string) =>
  Effect.map(allRows(store), (stored) => assertEqual(stored, { ...records, events: stored.events }, about))

const { accounts, movements } = schema

const isOneOf =
  (...some: ReadonlyArray<{ readonly name: string }>) =>
  ({ name }: AnyTable): boolean =>
    some.some((one) => one.name === name)

const isOnlyAdded = isOneOf(accounts, movements)

const saved = tables.filter((table) => !isOnlyAdded(table))

/** A row of each table from which rows are removed, to which no other refers. The last id of a table stays, so that it is not given again. */
const removable = (records: StoreRecords) => {
  const { checkpoints, consumers, deliveries, endings, messages, parkedEvents } = schema
  const removed = tables.filter(isOneOf(checkpoints, consumers, deliveries, endings, messages, parkedEvents))
  return removed.flatMap((table) => {
    const row = rowsOf(records, table).at(table.generatesIds ? 0 : -1)
    return row === undefined ? [] : [{ table, row }]
  })
}

/** The same records without some of their rows. */
const without = (records: StoreRecords, gone: ReadonlyArray<{ readonly table: AnyTable; readonly row: object }>) => {
  const left = (table: AnyTable) =>
    rowsOf(records, table).filter((row) => !gone.some((one) => one.table === table && one.row === row))
  return { ...records, ...Object.fromEntries(tables.map((table) => [table.name, left(table)])) }
}

/** Rows that may replace others: an API key stays with its account, and revoked once it is. */
const replacing = ({ apiKeys }: StoreRecords, others: StoreRecords): StoreRecords => ({
  ...others,
  apiKeys: others.apiKeys.map((other) => {
    const { key, revoked } = apiKeys.find((one) => one.key.id === other.key.id) ?? other
    return { ...other, key: { ...other.key, accountId: key.accountId }, revoked: revoked || other.revoked }
  })
})

/** The values of the columns of a key. */
const placeOf = ({ columns, key }: AnyTable, row: object): ReadonlyArray<Value> =>
  key.map((column) => columns[column]?.read(row))

/** Changes everything that can be changed about a value. */
const spoil = (value: unknown): void => {
  if (value instanceof Uint8Array) value.fill(0)
  else if (typeof value === "object" && value !== null)
    for (const [name, part] of Object.entries(value)) {
      spoil(part)
      Reflect.set(value, name, "spoilt")
    }
}

/** A row that commands do not find any more, of each table that has such rows. */
const tombstones: Readonly<Record<string, (row: never) => object>> = {
  apiKeys: (row: object) => ({ ...row, revoked: true }),
  categories: (row: object) => ({ ...row, deleted: true }),
  pets: (row: object) => ({ ...row, stock: { onHand: 0, reserved: 0, held: false }, deleted: true }),
  orders: (row: { readonly order: OrderContent }) => ({
    ...row,
    order: { ...row.order, state: row.order.expiresAt === undefined ? "cancelled" : "expired" }
  }),
  webhooks: (row: object) => ({ ...row, deleted: true })
}

/** Saves other rows in place of those that are live; a part of a transaction. */
const saveAll = (tx: TestedTransaction, table: AnyTable, records: StoreRecords, others: StoreRecords) =>
  each(
    rowsOf(others, table).filter((_, index) => isLiveIn(records, table, index)),
    rowsIn(tx, table).save
  )

const isLiveIn = (records: StoreRecords, table: AnyTable, index: number): boolean => {
  const row = rowsOf(records, table)[index]
  return row !== undefined && table.isLive(row)
}

/** The same records, with other rows in place of those of a table that are live. */
const withSaved = (records: StoreRecords, table: AnyTable, others: StoreRecords): StoreRecords => ({
  ...records,
  [table.name]: rowsOf(records, table).map((row, index) => (table.isLive(row) ? rowsOf(others, table)[index] : row))
})

export const tableCases = storageCases("storage: tables", {
  *"the rows of every table are found as they were added, with each lock and without; those that are not live only by scans"(
    store
  ) {
    const records = yield* givenRecords(store)
    yield* has(store, records, "the rows of all tables")
    for (const table of tables) {
      const { find } = tableOf(store, table)
      const rows = rowsOf(records, table)
      const expected = rows.map((row) => (table.isLive(row) ? row : undefined))
      const keys = rows.map(table.keyOf)
      assertEqual(yield* Effect.forEach(keys, find), expected, `rows of ${table.name}`)
      const locked = yield* store.run((tx) => each(keys, rowsIn(tx, table).lock))
      assertEqual(locked, expected, `rows of ${table.name}, locked`)
      const shared = yield* store.run((tx) => each(keys, rowsIn(tx, table).lockShared))
      assertEqual(shared, expected, `rows of ${table.name} under a shared lock`)
      const listed = yield* store.findAll(table, [...keys, ...keys, missing(table)])
      const inOrder = (some: ReadonlyArray<object>) =>
        some.toSorted((a, b) => keys.indexOf(table.keyOf(a)) - keys.indexOf(table.keyOf(b)))
      assertEqual(inOrder(listed), rows, `the rows of ${table.name} by their keys`)
      assertEqual(yield* store.findAll(table, []), [])
      assertEqual(yield* find(missing(table)), undefined)
      assertEqual(yield* store.run((tx) => rowsIn(tx, table).lock(missing(table))), undefined)
    }
    assertEqual(yield* store.inspect, [])
  },

  *"a scan continues behind any key or a part of one, up to its limit, and begins below every key and ends above them"(
    store
  ) {
    const records = yield* givenRecords(store)
    for (const table of tables) {
      const { scan } = tableOf(store, table)
      const rows = rowsOf(records, table)
      for (const [index, row] of rows.entries()) {
        const place = placeOf(table, row)
        assertEqual(
          yield* scan(place, 2),
          rows.slice(index + 1, index + 3),
          `two rows of ${table.name} behind ${place}`
        )
        const [first] = place
        const later = rows.filter((other) => placeOf(table, other)[0] !== first)
        const expected = later.filter((other) => rows.indexOf(other) > index)
        assertEqual(yield* scan([first], all), expected, `the rows of ${table.name} behind all of ${first}`)
      }
      const [first] = rows
      const isNumber = first !== undefined && typeof placeOf(table, first)[0] === "number"
      assertEqual(yield* scan([isNumber ? Number.NEGATIVE_INFINITY : ""], all), rows)
      assertEqual(yield* scan([isNumber ? Number.POSITIVE_INFINITY : "~"], all), [])
    }
  },

  *"a saved row replaces the one with its key, leaves the others, and changes no row that was read before"(store) {
    const records = yield* givenRecords(store)
    const others = replacing(records, yield* firstRecords)
    const read = yield* allRows(store)
    let expected = records
    for (const table of saved) {
      yield* store.run((tx) => saveAll(tx, table, records, others))
      expected = withSaved(expected, table, others)
      yield* has(store, expected, `all tables after the rows of ${table.name} were saved`)
    }
    assertEqual(read, { ...records, events: [] }, "what was read before")
  },

  *"a removed row is gone, and the others stay"(store) {
    const records = yield* givenRecords(store)
    const gone = removable(records)
    for (const { row, table } of gone) {
      yield* store.run((tx) => rowsIn(tx, table).remove(table.keyOf(row)))
      assertEqual(yield* tableOf(store, table).find(table.keyOf(row)), undefined)
    }
    yield* has(store, without(records, gone), "the rows that are left")
    const again = gone.filter(({ table }) => !table.generatesIds)
    yield* store.run((tx) => each(again, ({ row, table }) => rowsIn(tx, table).insert(row)))
    const stillGone = gone.filter(({ table }) => table.generatesIds)
    yield* has(store, without(records, stillGone), "the rows, added again")
  },

  *"what a command adds or changes that fails is as it was"(store) {
    const records = yield* givenRecords(store)
    const others = replacing(records, yield* firstRecords)
    const change = function* (tx: TestedTransaction) {
      for (const table of tables) {
        const [row] = rowsOf(records, table)
        if (row !== undefined && table.name in tombstones) yield* rowsIn(tx, table).insert(renamed(row))
      }
      for (const table of saved) yield* saveAll(tx, table, records, others)
      for (const { row, table } of removable(records)) yield* rowsIn(tx, table).remove(table.keyOf(row))
      yield* refuse()
    }
    yield* Effect.exit(store.run(change))
    yield* has(store, records, "the rows that a command has changed that failed")
    assertEqual(yield* store.inspect, [])
  },

  *"changing a row that was passed to a store, or read from it, changes no other"(store) {
    const records = yield* firstRecords
    const passed = structuredClone(records)
    yield* store.run((tx) => addAll(tx, passed))
    spoil(passed)
    spoil(yield* allRows(store))
    for (const table of tables) {
      for (const row of rowsOf(records, table)) spoil(yield* tableOf(store, table).find(table.keyOf(row)))
    }
    for (const table of saved) {
      const again = structuredClone(records)
      yield* store.run((tx) => saveAll(tx, table, records, again))
      spoil(again)
    }
    yield* has(store, records, "the rows")
  },

  *"a row that is not live is found by scans alone, and its id is given to no other"(store) {
    const records = yield* givenRecords(store)
    for (const table of tables) {
      const bury = tombstones[table.name]
      const row = rowsOf(records, table).findLast(table.isLive)
      if (bury === undefined || row === undefined) continue
      const { find, scan } = tableOf(store, table)
      const insert = store.run((tx) => rowsIn(tx, table).insert(renamed(row)))
      const key = yield* insert
      assertEqual(key, rowsOf(records, table).length + 1, `the id of another row of ${table.name}`)
      const tombstone = bury((yield* find(key)) as never)
      yield* store.run((tx) => rowsIn(tx, table).save(tombstone))
      const locked = yield* store.run((tx) => rowsIn(tx, table).lock(key))
      const shared = yield* store.run((tx) => rowsIn(tx, table).lockShared(key))
      assertEqual([yield* find(key), locked, shared], [undefined, undefined, undefined])
      assertEqual((yield* scan([], all)).at(-1), tombstone)
      assertEqual(yield* insert, Number(key) + 1, `the next id of ${table.name}`)
    }
  },

  *"a row of a key that exists is rejected, stays away or replaces the other one, as the table says"(store) {
    const records = yield* givenRecords(store)
    const others = yield* firstRecords
    for (const table of tables.filter(({ generatesIds }) => !generatesIds)) {
      const [row] = rowsOf(records, table)
      const [other] = rowsOf(others, table)
      if (row === undefined || other === undefined) continue
      const { find } = tableOf(store, table)
      const exit = yield* Effect.exit(store.run((tx) => rowsIn(tx, table).insert(other)))
      if (table.existing === undefined) wasRefused(exit)
      else assertEqual(outcome(exit), "ok", `adding a row of ${table.name}`)
      assertEqual(yield* find(table.keyOf(row)), table.existing === "replaced" ? other : row)
    }
  },

  *"a row whose unique values another one has fails as the table says"(store) {
    const records = yield* givenRecords(store)
    for (const table of tables) {
      for (const { isUnique, taken } of Object.values(table.indexes)) {
        const row = rowsOf(records, table).find(table.isLive)
        if (isUnique !== true || row === undefined) continue
        const add = (one: object, id: number) =>
          Effect.exit(store.run((tx) => rowsIn(tx, table).insert(table.generatesIds ? one : { ...one, id })))
        if (taken === undefined) {
          wasRefused(yield* add(row, 9_989))
          continue
        }
        const exits = yield* Effect.forEach([row, renamed(row), renamed(row)], (one, index) => add(one, 9_990 + index))
        const tag = String(Reflect.get(taken(row), "_tag"))
        assertEqual(exits.map(outcome), [tag, "ok", tag], `adding rows of ${table.name} with the same name`)
      }
    }
  },

  *"a row that refers to one that does not exist is rejected, and nothing of its transaction is kept"(store) {
    const records = yield* givenRecords(store)
    for (const table of tables) {
      for (const [column, other] of Object.entries(table.references)) {
        const row = rowsOf(records, table).find((one) => (table.columns[column]?.read(one) ?? undefined) !== undefined)
        const target = tables.find(({ name }) => name === other)
        assertTrue(row !== undefined && target !== undefined, `there is a row of ${table.name} with a ${column}`)
        if (row === undefined || target === undefined) continue
        const wrong = withValue(next(records, table, row), table.columns[column]?.path ?? [], missing(target))
        const kinds = isOnlyAdded(table) ? (["insert"] as const) : (["insert", "save"] as const)
        for (const kind of kinds) {
          const write = (tx: TestedTransaction) => inTurn(tx.events.append(newEvent(1)), rowsIn(tx, table)[kind](wrong))
          wasRefused(yield* Effect.exit(store.run(write)))
        }
      }
    }
    yield* has(store, records, "the rows")
    assertEqual(yield* store.events.latest, 0)
  }
})

/** A key that no row has. */
const missing = ({ columns, key }: AnyTable): number | string =>
  key.length === 1 && columns[key[0] ?? ""]?.type === "integer" ? 9_999 : "0000000000009999 9999"

/** The same row; with the next number, if rows of its table are numbered. */
const next = (records: StoreRecords, table: AnyTable, row: object): object => {
  const { columns, key, numberedBy } = table
  if (numberedBy === undefined) return row
  const read = (one: object) => columns[numberedBy]?.read(one)
  const count = rowsOf(records, table).filter((one) => read(one) === read(row)).length
  return withValue(row, columns[key.at(-1) ?? ""]?.path ?? [], count + 1)
}

/** The same row with another name, if it has one that is unique. */
const renamed = (row: object): object => {
  if ("nameKey" in row) return { ...row, nameKey: "another name" }
  return "externalId" in row ? { ...row, externalId: "another id" } : row
}

/** The same row with another value at a path. */
const withValue = (row: object, [step = "", ...rest]: ReadonlyArray<string>, value: unknown): object => {
  const name = step.replace("?", "")
  return { ...row, [name]: rest.length === 0 ? value : withValue(Reflect.get(row, name), rest, value) }
}
