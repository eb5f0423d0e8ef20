import type { Command, Query, Table, Transaction, Value } from "@petstore/core/kernel"
import type { CommandName, EventRows, EventToAppend, HostTransaction, StorageError } from "@petstore/core/ports"
import { events, schema } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { HostDatabase, StorageFaults, StorageFixture, Store } from "./StorageFixture.ts"

type Key = number | string

/** A command of a case, or a part of one. */
export type Part<A, E = never> = Command<A, E>

/** The rows of one table outside of transactions. */
export interface TestedTable<Row, K extends Key> {
  readonly find: (key: K) => Effect.Effect<Row | undefined, StorageError>
  readonly scan: (after: ReadonlyArray<Value>, limit: number) => Effect.Effect<ReadonlyArray<Row>, StorageError>
}

/** The rows of one table in a command. */
export interface TestedRows<Row, K extends Key> {
  readonly find: (key: K) => Part<Row | undefined>
  readonly lock: (key: K) => Part<Row | undefined>
  readonly lockShared: (key: K) => Part<Row | undefined>
  /** Adds a row, with a new id if the store gives them, and returns its key. */
  readonly insert: (row: Row) => Part<K>
  readonly insertAll: (rows: ReadonlyArray<Row>) => Part<ReadonlyArray<K>>
  /** Locks the row with the key of this one and saves it in its place; adds it if there is none. */
  readonly save: (row: Row) => Part<void>
  readonly remove: (key: K) => Part<void>
  /** Removes rows that are older than a time. */
  readonly purge: (before: string, limit: number) => Part<void>
}

type Schema = typeof schema
type TestedTables = {
  readonly [Name in keyof Schema]: Schema[Name] extends Table<infer Row, infer K> ? TestedTable<Row, K> : never
}

/** The transaction of a command, with the rows of each table by its name. */
export type TestedTransaction = {
  readonly [Name in keyof Schema]: Schema[Name] extends Table<infer Row, infer K> ? TestedRows<Row, K> : never
} & {
  readonly events: {
    readonly append: (...events: ReadonlyArray<EventToAppend>) => Part<void>
    readonly trim: (through: number) => Part<void>
  }
  readonly select: <Row, Argument, K extends Key>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ) => Part<ReadonlyArray<Row>>
  readonly claim: TestedTransaction["select"]
  /** As the store has given it. */
  readonly given: Transaction
}

/** A store with the rows of each table by its name. */
export interface TestedStore extends Omit<Store, "run" | "join">, TestedTables {
  readonly events: EventRows
  /** Runs a command. */
  readonly run: <A, E = never>(
    begin: (tx: TestedTransaction) => Part<A, E>,
    command?: CommandName
  ) => Effect.Effect<A, E | StorageError>
  readonly join:
    | (<A, E = never>(
        transaction: HostTransaction,
        begin: (tx: TestedTransaction) => Part<A, E>
      ) => Effect.Effect<A, E | StorageError>)
    | undefined
  /** As the fixture has opened it. */
  readonly opened: Store
}

const testedRows = <Row, K extends Key>(tx: Transaction, table: Table<Row, K>): TestedRows<Row, K> => {
  const { keyOf } = table
  const insertAll = function* (rows: ReadonlyArray<Row>): Part<ReadonlyArray<K>> {
    // Only tables whose keys are numbers have ids that the store gives.
    const numbered = table as unknown as Table<Row>
    if (table.generatesIds) {
      const added = yield* tx.insertAll(
        numbered,
        rows.map((row) => (id: number) => numbered.withId(row, id))
      )
      return added.map(keyOf)
    }
    if (table.numberedBy !== undefined) tx.append({ name: table.name, rows: [] }, rows as ReadonlyArray<never>)
    else for (const row of rows) tx.add(table, row)
    return rows.map(keyOf)
  }
  return {
    *find(key) {
      return yield* tx.find(table, key)
    },
    *lock(key) {
      return yield* tx.lock(table, key)
    },
    *lockShared(key) {
      return yield* tx.lockShared(table, key)
    },
    *insert(row) {
      return (yield* insertAll([row]))[0] as K
    },
    insertAll,
    *save(row) {
      yield* tx.lock(table, keyOf(row))
      tx.save(table, row)
    },
    *remove(key) {
      const row = yield* tx.lock(table, key)
      if (row !== undefined) tx.remove(table, row)
    },
    *purge(before, limit) {
      tx.purge(table, before, limit)
    }
  }
}

/** A table that is known by its name, which types cannot follow. */
export type AnyTable = Table<object, Key>

export const tables = Object.values(schema) as unknown as ReadonlyArray<AnyTable>

const testedTransaction = (given: Transaction): TestedTransaction => ({
  // The names and the types of the tables are those of the schema.
  ...(Object.fromEntries(
    tables.map((table) => [table.name, testedRows(given, table)])
  ) as unknown as TestedTransaction),
  events: {
    *append(...rows) {
      given.append(events, rows)
    },
    *trim(through) {
      given.trim(through)
    }
  },
  *select(query, argument, limit) {
    return yield* given.all(query, argument, limit)
  },
  *claim(query, argument, limit) {
    return yield* given.claim(query, argument, limit)
  },
  given
})

const testedTable = <Row, K extends Key>(store: Store, table: Table<Row, K>): TestedTable<Row, K> => ({
  find: (key) => store.find(table, key),
  scan: (after, limit) => store.scan(table, after, limit)
})

export const tested = (opened: Store): TestedStore => {
  const { join } = opened
  return {
    ...opened,
    ...(Object.fromEntries(tables.map((table) => [table.name, testedTable(opened, table)])) as unknown as TestedTables),
    run: (begin, command) => opened.run((tx) => begin(testedTransaction(tx)), command) as never,
    join: join && ((transaction, begin) => join(transaction, (tx) => begin(testedTransaction(tx))) as never),
    opened
  }
}

/** The rows of a table that is not known by its name. */
export const tableOf = (store: TestedStore, table: AnyTable): TestedTable<object, Key> =>
  testedTable(store.opened, table)

/** The same in a command. */
export const rowsIn = ({ given }: TestedTransaction, table: AnyTable): TestedRows<object, Key> =>
  testedRows(given, table)

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
