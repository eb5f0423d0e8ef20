import type { StorageFixture, Store } from "@petstore/testing"
import { Effect } from "effect"
import { type Connection, openStore, SqlDatabase } from "../synchronousSql.ts"
import { open } from "./driver.ts"
import { temporaryFile } from "./temporaryFile.ts"

/** A connection that fails once, on demand. */
const faulty = (connection: Connection) => {
  let commitFails = false
  let isFull = false
  const wrapped: Connection = {
    get inTransaction() {
      return connection.inTransaction
    },
    prepare: (sql) => {
      const prepared = connection.prepare(sql)
      const run: typeof prepared.run = (...values) => {
        if (!isFull) return prepared.run(...values)
        isFull = false
        // As SQLite does if it cannot write.
        connection.exec("ROLLBACK")
        throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" })
      }
      return { reader: prepared.reader, all: (...values) => prepared.all(...values), run }
    },
    exec: (sql) => {
      if (sql !== "COMMIT" || !commitFails) return connection.exec(sql)
      commitFails = false
      throw new Error("The disk is gone")
    },
    close: () => connection.close()
  }
  return {
    connection: wrapped,
    failNextCommit: () => {
      commitFails = true
    },
    loseNextTransaction: () => {
      isFull = true
    }
  }
}

interface Opened {
  readonly database: SqlDatabase
  readonly faults: ReturnType<typeof faulty>
}

const opened = new WeakMap<Store, Opened>()

const of = (store: Store): Opened => {
  const known = opened.get(store)
  if (known === undefined) throw new Error("The store is not of this fixture")
  return known
}

const openOn = (on: Opened) => Effect.tap(openStore(on.database), (store) => Effect.sync(() => opened.set(store, on)))

/** A database in a new file, and how to make it fail. */
const openFaulty = Effect.flatMap(temporaryFile, (file) =>
  Effect.acquireRelease(
    Effect.sync((): Opened => {
      const faults = faulty(open(file))
      return { database: new SqlDatabase(faults.connection), faults }
    }),
    ({ database }) => Effect.sync(() => database.connection.close())
  )
)

export const storageFixture: StorageFixture = {
  open: Effect.flatMap(openFaulty, openOn),
  openAnother: (store) => openOn(of(store)),
  faults: {
    failNextCommit: (store) => Effect.sync(() => of(store).faults.failNextCommit()),
    loseNextTransaction: (store) => Effect.sync(() => of(store).faults.loseNextTransaction())
  }
}
