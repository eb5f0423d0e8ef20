import { type Client, LibsqlError } from "@libsql/client"
import type { StorageFixture, Store } from "@petstore/testing"
import { Effect } from "effect"
import { LibsqlDatabase } from "../LibsqlDatabase.ts"
import { openStore } from "../libsql.ts"
import { temporaryFile } from "./temporaryFile.ts"

/** Makes the client that writes fail once, on demand. */
const faultsOf = (writer: Client) => {
  const begin = writer.transaction.bind(writer)
  let commitFails = false
  let isFull = false
  writer.transaction = async () => {
    const transaction = await begin("write")
    const commit = transaction.commit.bind(transaction)
    const execute = transaction.execute.bind(transaction)
    transaction.commit = async () => {
      if (!commitFails) return commit()
      commitFails = false
      throw new Error("The disk is gone")
    }
    transaction.execute = async (statement) => {
      const sql = typeof statement === "string" ? statement : statement.sql
      if (!isFull || !/^(INSERT|UPDATE|DELETE)/.test(sql)) return execute(statement)
      isFull = false
      await execute("ROLLBACK")
      throw new LibsqlError("database or disk is full", "SQLITE_FULL")
    }
    return transaction
  }
  return {
    failNextCommit: () => {
      commitFails = true
    },
    loseNextTransaction: () => {
      isFull = true
    }
  }
}

interface Opened {
  readonly database: LibsqlDatabase
  readonly faults: ReturnType<typeof faultsOf>
}

const opened = new WeakMap<Store, Opened>()

const of = (store: Store): Opened => {
  const known = opened.get(store)
  if (known === undefined) throw new Error("The store is not of this fixture")
  return known
}

const openOn = (on: Opened) => Effect.tap(openStore(on.database), (store) => Effect.sync(() => opened.set(store, on)))

/** A database in a new file, and how to make it fail. */
const openFaulty = Effect.map(
  Effect.flatMap(temporaryFile, (file) =>
    Effect.acquireRelease(LibsqlDatabase.open(file), (database) => Effect.sync(() => database.close()))
  ),
  (database): Opened => ({ database, faults: faultsOf(database.writer) })
)

export const storageFixture: StorageFixture = {
  open: Effect.flatMap(openFaulty, openOn),
  openAnother: (store) => openOn(of(store)),
  faults: {
    failNextCommit: (store) => Effect.sync(() => of(store).faults.failNextCommit()),
    loseNextTransaction: (store) => Effect.sync(() => of(store).faults.loseNextTransaction())
  }
}
