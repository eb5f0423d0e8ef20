import { describe, it } from "@effect/vitest"
import { inGroups, type OpenHostTransaction, registerContract, type Store, storageContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type HostLibraryName, hostLibraries, openHostLibrary } from "../../../test/support/postgres/hostLibraries.ts"
import { testDatabase } from "../../../test/support/postgres.ts"
import { openStore } from "../store.ts"

const urls = new WeakMap<Store, string>()

const open = (url: string) => Effect.tap(openStore({ url }), (store) => Effect.sync(() => void urls.set(store, url)))

const begin = (name: HostLibraryName, store: Store): Effect.Effect<OpenHostTransaction, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const library = yield* openHostLibrary(name, urls.get(store) ?? "unknown")
    const { commit, rollback, transaction } = yield* Effect.acquireRelease(
      Effect.promise(() => library.begin()),
      (begun) => Effect.promise(() => begun.rollback().catch(() => {}))
    )
    return { transaction, commit: Effect.promise(commit), rollback: Effect.promise(rollback) }
  })

for (const name of Object.keys(hostLibraries) as ReadonlyArray<HostLibraryName>) {
  const cases = storageContract({
    open: Effect.flatMap(testDatabase, open),
    openAnother: (store) => Effect.suspend(() => open(urls.get(store) ?? "unknown")),
    host: { begin: (store) => begin(name, store) }
  })

  describe(`postgres with a host on ${name}`, () =>
    registerContract(inGroups(cases, ["storage: transactions of a host application"]), { describe, it }))
}
