import { describe, it } from "@effect/vitest"
import { inGroups, type OpenHostTransaction, registerContract, type Store, storageContract } from "@petstore/testing"
import { sql } from "drizzle-orm"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { openDatabase } from "../../../test/support/host.ts"
import { openDrizzle, openKysely } from "../../../test/support/libraries.ts"
import { migratedFile } from "../../../test/support/migratedFile.ts"
import { drizzle } from "../../drizzle.ts"
import { kysely } from "../../kysely.ts"
import { openStore } from "../store.ts"

const files = new WeakMap<Store, string>()

const open = (file: string) =>
  Effect.map(openStore({ file }), ({ store }) => {
    files.set(store, file)
    return store
  })

type Begin = (file: string) => Effect.Effect<OpenHostTransaction, unknown, Scope.Scope>

const withKysely: Begin = (file) =>
  Effect.gen(function* () {
    const database = yield* openDatabase(file)
    const transaction = yield* Effect.promise(() => openKysely(database).startTransaction().execute())
    return {
      transaction: kysely(transaction),
      commit: Effect.promise(() => transaction.commit().execute()),
      rollback: Effect.promise(() => transaction.rollback().execute())
    }
  })

/** Drizzle ends a transaction when its function returns, so the function waits until the test ends it. */
const withDrizzle: Begin = (file) =>
  Effect.gen(function* () {
    const database = openDrizzle(yield* openDatabase(file))
    const end = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<object>()
    const ended = database
      .transaction((tx) => {
        begun.resolve(drizzle(tx, sql))
        return end.promise
      })
      .catch((error: unknown) => error)
    const transaction = yield* Effect.promise(() => begun.promise)
    const finish = (settle: () => void) =>
      Effect.promise(async () => {
        settle()
        await ended
      })
    yield* Effect.addFinalizer(() => finish(() => end.resolve()))
    return {
      transaction,
      commit: finish(() => end.resolve()),
      rollback: finish(() => end.reject(new Error("The host changed its mind")))
    }
  })

for (const [library, begin] of Object.entries({ Kysely: withKysely, Drizzle: withDrizzle })) {
  const cases = storageContract({
    open: Effect.flatMap(migratedFile(), open),
    openAnother: (store) => Effect.suspend(() => open(files.get(store) ?? "")),
    host: { begin: (store) => begin(files.get(store) ?? "") }
  })

  describe(`sqlite with a host on ${library}`, () =>
    registerContract(inGroups(cases, ["storage: transactions of a host application"]), { describe, it }))
}
