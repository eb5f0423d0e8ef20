import { createPetstore, type Petstore, type PetstoreOptions } from "@petstore/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { quoted } from "../../src/postgres/statements/dialect.ts"
import { sqlite } from "../../src/sqlite/sqlite.ts"
import type { HostLibrary, LibraryTransaction } from "./HostLibrary.ts"
import { committed, openGuest, shop, stock } from "./host.ts"
import { openLibrary, sqliteLibraries } from "./libraries.ts"
import { type HostLibraryName, hostLibraryNames } from "./postgres/hostLibraries.ts"
import { testStores } from "./postgres/testStores.ts"
import { query } from "./postgres.ts"

/** A petstore with five units of one pet, and a host with a table of invoices in its database. */
export interface HostShop {
  readonly petstore: Petstore
  readonly petId: number
  readonly library: HostLibrary
  /** Runs a statement outside of any transaction. */
  readonly execute: (sql: string) => Promise<unknown>
  /** What is committed. */
  readonly committed: () => ReturnType<typeof committed>
  /** Another petstore on the same tables. */
  readonly openAnother: (options: PetstoreOptions) => Effect.Effect<Petstore, never, Scope.Scope>
  /** Another petstore in the same database, with tables of its own. */
  readonly openApart: Effect.Effect<Petstore, never, Scope.Scope>
  readonly sql: Statements
}

interface Statements {
  /** Lets the transaction, or its connection, only read. */
  readonly readOnly: string
  /** Adds, and drops, a trigger that rejects orders of more than two units with "too many". */
  readonly limitOrders: string
  readonly freeOrders: string
}

/** A row of the table of hosts: a library on an engine. */
export interface Host {
  readonly name: string
  readonly open: Effect.Effect<HostShop, never, Scope.Scope>
}

/** The library, whose open transactions are rolled back with the scope. */
const untilClosed = (library: HostLibrary): Effect.Effect<HostLibrary, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Set<LibraryTransaction["rollback"]>()),
      (open) => Effect.promise(() => Promise.allSettled(Array.from(open, (rollback) => rollback())))
    ),
    (open) => ({
      ...library,
      begin: async () => {
        const begun = await library.begin()
        const { commit, rollback } = begun
        const ends = (end: () => Promise<unknown>) => () => {
          open.delete(rollback)
          return end()
        }
        open.add(rollback)
        return { ...begun, commit: ends(commit), rollback: ends(rollback) }
      }
    })
  )

const onSqlite = (library: string): Host => ({
  name: `${library} on SQLite`,
  open: Effect.map(shop(), ({ db, file, petId, petstore }) => ({
    petstore,
    petId,
    library: openLibrary(library, db),
    execute: async (sql) => db.exec(sql),
    committed: () => committed(file, petstore, petId),
    openAnother: (options) =>
      Effect.acquireRelease(
        Effect.promise(() => createPetstore({ ...options, storage: sqlite({ database: db }) })),
        (opened) => Effect.promise(() => opened.close())
      ),
    openApart: openGuest(db, { tablePrefix: "other_" }),
    sql: {
      readOnly: "PRAGMA query_only = ON",
      limitOrders: `CREATE TRIGGER few BEFORE INSERT ON petstore_orders WHEN NEW.quantity > 2
        BEGIN SELECT RAISE(ABORT, 'too many'); END`,
      freeOrders: "DROP TRIGGER few"
    }
  }))
})

/** On schemas of one database. */
const onPostgres = (stores: ReturnType<typeof testStores>, library: HostLibraryName): Host => ({
  name: `${library} on PostgreSQL`,
  open: Effect.gen(function* () {
    const [url, schema] = [yield* stores.databaseUrl, yield* stores.schema]
    const petstore = yield* stores.petstore(schema)
    const tables = `${quoted(schema)}.petstore_`
    const execute = (sql: string) => query(url, sql)
    const petId = yield* Effect.promise(async () => {
      await execute("DROP TABLE IF EXISTS invoices; CREATE TABLE invoices (order_id bigint NOT NULL)")
      return stock(petstore)
    })
    const counts = `SELECT (SELECT count(*)::int FROM invoices) AS invoices,
      (SELECT count(*)::int FROM ${tables}events) + (SELECT count(*)::int FROM ${tables}pending) AS events`
    return {
      petstore,
      petId,
      library: yield* stores.library(library),
      execute,
      committed: async () => {
        const [row] = await execute(counts)
        const { items } = await petstore.orders.list()
        const { reserved } = await petstore.inventory.get(petId)
        return {
          invoices: row?.invoices,
          events: row?.events,
          orders: items.map(({ quantity }) => quantity),
          reserved
        }
      },
      openAnother: (options) => stores.petstore(schema, options),
      openApart: Effect.flatMap(stores.schema, (other) => stores.petstore(other)),
      sql: {
        readOnly: "SET TRANSACTION READ ONLY",
        limitOrders: `CREATE FUNCTION few() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'too many'; END $$;
          CREATE TRIGGER few BEFORE INSERT ON ${tables}orders FOR EACH ROW WHEN (NEW.quantity > 2) EXECUTE FUNCTION few()`,
        freeOrders: "DROP FUNCTION few() CASCADE"
      }
    }
  })
})

/** Every library on every engine. For the tests of one file. */
export const hosts = (): ReadonlyArray<Host> => {
  const stores = testStores()
  return [...sqliteLibraries.map(onSqlite), ...hostLibraryNames.map((name) => onPostgres(stores, name))].map(
    ({ name, open }) => ({
      name,
      open: Effect.flatMap(open, (shop) => Effect.map(untilClosed(shop.library), (library) => ({ ...shop, library })))
    })
  )
}
