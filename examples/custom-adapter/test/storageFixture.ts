import { constants } from "node:os"
import type { StorageFixture, Store } from "@petstore/testing"
import { Effect } from "effect"
import { ABORT } from "lmdb"
import { LmdbDatabase, openStore } from "../lmdb.ts"
import { temporaryFile } from "./temporaryFile.ts"

/** Makes LMDB fail once, on demand. */
const faultsOf = ({ root }: LmdbDatabase) => {
  const { putSync } = root
  const transactionSync = root.transactionSync.bind(root)
  let commitFails = false
  let depth = 0
  root.transactionSync = (action) =>
    transactionSync(() => {
      depth++
      try {
        const result = action()
        if (!commitFails || depth > 1 || result === ABORT) return result
      } finally {
        depth--
      }
      commitFails = false
      throw new Error("The disk is gone")
    })
  return {
    failNextCommit: () => {
      commitFails = true
    },
    loseNextTransaction: () => {
      root.putSync = () => {
        root.putSync = putSync
        throw Object.assign(new Error("No space left on device"), { code: constants.errno.ENOSPC })
      }
    }
  }
}

interface Opened {
  readonly database: LmdbDatabase
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
    Effect.acquireRelease(
      Effect.sync(() => new LmdbDatabase(file)),
      ({ root }) => Effect.promise(() => root.close())
    )
  ),
  (database): Opened => ({ database, faults: faultsOf(database) })
)

export const storageFixture: StorageFixture = {
  open: Effect.flatMap(openFaulty, openOn),
  openAnother: (store) => openOn(of(store)),
  faults: {
    failNextCommit: (store) => Effect.sync(() => of(store).faults.failNextCommit()),
    loseNextTransaction: (store) => Effect.sync(() => of(store).faults.loseNextTransaction())
  }
}
