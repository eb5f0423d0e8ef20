import type { Table, Value, Write } from "@petstore/core/engine"
import type { EventRows, EventToAppend, StorageError, Transaction } from "@petstore/core/ports"
import { schema } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { HostDatabase, StorageFaults, StorageFixture, Store } from "./StorageFixture.ts"

type Key = number | string

type Part<A> = Effect.Effect<A, StorageError, Transaction>

/** The operations of the port on one table. */
export interface TestedTable<Row, K extends Key> {
  readonly find: (key: K) => Effect.Effect<Row | undefined, StorageError>
  readonly lock: (key: K) => Part<Row | undefined>
  readonly lockShared: (key: K) => Part<Row | undefined>
  readonly scan: (after: ReadonlyArray<Value>, limit: number) => Effect.Effect<ReadonlyArray<Row>, StorageError>
  /** Adds a row, with a new id if the store gives them, and returns its key. */
  readonly insert: (row: Row) => Part<K>
  readonly insertAll: (rows: ReadonlyArray<Row>) => Part<ReadonlyArray<K>>
  /** Saves a row in place of the one with its key; adds it if there is none. */
  readonly save: (row: Row) => Part<void>
  readonly remove: (key: K) => Part<void>
  /** Removes rows that are older than a time. */
  readonly purge: (before: string, limit: number) => Part<void>
}

type TestedTables = {
  readonly [Name in keyof typeof schema]: (typeof schema)[Name] extends Table<infer Row, infer K>
    ? TestedTable<Row, K>
    : never
}

interface TestedEvents extends EventRows {
  readonly append: (...events: ReadonlyArray<EventToAppend>) => Part<void>
  readonly trim: (through: number) => Part<void>
}

/** A store with the operations of each table by its name. */
export interface TestedStore extends Omit<Store, "events">, TestedTables {
  readonly events: TestedEvents
  /** As the fixture has opened it. */
  readonly opened: Store
}

const testedTable = <Row, K extends Key>(store: Store, table: Table<Row, K>): TestedTable<Row, K> => {
  const { keyOf, name } = table
  const before = (key: K) => Effect.map(store.findAll(table, [key]), ([row]) => row)
  const insertAll = (rows: ReadonlyArray<Row>): Part<ReadonlyArray<K>> => {
    // Only tables whose keys are numbers have ids that the store gives.
    const numbered = table as unknown as Table<Row>
    if (table.generatesIds) {
      const rowsOf = rows.map((row) => (id: number) => numbered.withId(row, id))
      return Effect.map(store.insert(numbered, rowsOf), (added) => added.map(keyOf))
    }
    const writes: ReadonlyArray<Write> =
      table.numberedBy === undefined
        ? rows.map((row) => ({ table: name, key: keyOf(row), row, before: undefined }))
        : [{ log: name, rows }]
    return Effect.as(store.write(writes), rows.map(keyOf))
  }
  return {
    find: (key) => store.find(table, key),
    lock: (key) => store.lock(table, key),
    lockShared: (key) => store.lock(table, key, true),
    scan: (after, limit) => store.scan(table, after, limit),
    insert: (row) => Effect.map(insertAll([row]), ([key]) => key as K),
    insertAll,
    save: (row) =>
      Effect.flatMap(before(keyOf(row)), (found) =>
        store.write([{ table: name, key: keyOf(row), row, before: found }])
      ),
    remove: (key) =>
      Effect.flatMap(before(key), (row) =>
        row === undefined ? Effect.void : store.write([{ remove: name, key, row }])
      ),
    purge: (before, limit) => store.write([{ purge: name, before, limit }])
  }
}

/** A table that is known by its name, which types cannot follow. */
export type AnyTable = Table<object, Key>

export const tables = Object.values(schema) as unknown as ReadonlyArray<AnyTable>

export const tested = (opened: Store): TestedStore => ({
  ...opened,
  // The names and the types of the tables are those of the schema.
  ...(Object.fromEntries(tables.map((table) => [table.name, testedTable(opened, table)])) as unknown as TestedTables),
  events: {
    ...opened.events,
    append: (...rows) => opened.write([{ log: "events", rows }]),
    trim: (through) => opened.write([{ trim: through }])
  },
  opened
})

/** The operations on a table that is not known by its name. */
export const tableOf = (store: TestedStore, table: AnyTable): TestedTable<object, Key> =>
  testedTable(store.opened, table)

/** How the cases open their stores. */
export interface TestedFixture extends Omit<StorageFixture, "open" | "openAnother" | "faults" | "host"> {
  readonly open: Effect.Effect<TestedStore, StorageError, Scope.Scope>
  readonly openAnother: (store: TestedStore) => Effect.Effect<TestedStore, StorageError, Scope.Scope>
  readonly faults: TestedFaults | undefined
  readonly host: TestedHost | undefined
}

export type TestedFaults = { readonly [Name in keyof StorageFaults]: (store: TestedStore) => Effect.Effect<void> }

export interface TestedHost {
  readonly begin: (store: TestedStore) => ReturnType<HostDatabase["begin"]>
  readonly openElsewhere: (store: TestedStore) => Effect.Effect<TestedStore, StorageError, Scope.Scope>
}

export const testedFixture = (fixture: StorageFixture): TestedFixture => {
  const { faults, host } = fixture
  const open = Effect.map(fixture.open, tested)
  return {
    ...fixture,
    open,
    openAnother: ({ opened }) => Effect.map(fixture.openAnother(opened), tested),
    faults: faults && {
      failNextCommit: ({ opened }) => faults.failNextCommit(opened),
      loseNextTransaction: ({ opened }) => faults.loseNextTransaction(opened)
    },
    host: host && {
      begin: ({ opened }) => host.begin(opened),
      openElsewhere: ({ opened }) =>
        host.openElsewhere === undefined ? open : Effect.map(host.openElsewhere(opened), tested)
    }
  }
}
