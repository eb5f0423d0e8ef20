import { describe, it } from "@effect/vitest"
import { registerContract, type Store, storageContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { type Faults, faultsOf } from "../../test/support/faults.ts"
import { openDatabase } from "../../test/support/host.ts"
import { temporaryFile } from "../../test/support/temporary.ts"
import { openStore } from "./store.ts"

interface Opened {
  readonly file: string
  readonly faults: Faults
}

const opened = new WeakMap<Store, Opened>()

const of = (store: Store): Opened => {
  const known = opened.get(store)
  if (known === undefined) throw new Error("The store is not of this fixture")
  return known
}

// A prefix of its own: a statement that leaves it out finds no table. The default prefix is that of all other tests.
const tablePrefix = "shop_"

const open = (file: string) =>
  Effect.map(openStore({ file, tablePrefix }), ({ store, writer }) => {
    opened.set(store, { file, faults: faultsOf(writer) })
    return store
  })

const cases = storageContract({
  open: Effect.flatMap(temporaryFile, open),
  openAnother: (store) => Effect.suspend(() => open(of(store).file)),
  faults: {
    failNextCommit: (store) =>
      Effect.sync(() => {
        of(store).faults.commit = true
      }),
    loseNextTransaction: (store) =>
      Effect.sync(() => {
        of(store).faults.write = true
      })
  },
  host: {
    begin: (store) =>
      Effect.map(openDatabase(of(store).file), (database) => {
        database.exec("BEGIN IMMEDIATE")
        return {
          transaction: database,
          commit: Effect.sync(() => database.exec("COMMIT")),
          rollback: Effect.sync(() => database.exec("ROLLBACK"))
        }
      })
  }
})

describe("sqlite", () => registerContract(cases, { describe, it }))
