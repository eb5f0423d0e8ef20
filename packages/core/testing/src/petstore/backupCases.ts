import type { Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ContractCase } from "../ContractCase.ts"
import { assertEqual, assertTrue } from "../check.ts"
import { orderOf, petOf } from "./given.ts"
import { collect, petAndStock } from "./inspect.ts"
import type { Backups, EmbeddedFixture } from "./PetstoreFixture.ts"
import { rejectsWith } from "./rejections.ts"

const tried = <A>(call: () => Promise<A>) => Effect.tryPromise({ try: call, catch: (error) => error })

type Body = (petstore: Petstore, backups: Backups) => Effect.Effect<void, unknown, Scope.Scope>

const copies: Readonly<Record<string, Body>> = {
  "a backup is a petstore with the same state, and keeps it": (petstore, backups) =>
    Effect.gen(function* () {
      const file = yield* backups.file
      const petId = yield* tried(() => petOf(petstore, 9))
      yield* tried(() => orderOf(petstore, petId, 2))
      const before = yield* tried(() => petAndStock(petstore, petId))
      yield* tried(() => petstore.backup(file))
      yield* tried(() => petstore.inventory.set(petId, 5))
      const copy = yield* backups.open(file)
      assertEqual(yield* tried(() => petAndStock(copy, petId)), before)
      assertTrue((yield* tried(() => copy.verify())).ok, "the copy verifies")
      assertEqual((yield* tried(() => copy.inventory.set(petId, 7))).quantity, 7, "the quantity in the copy")
      assertEqual((yield* tried(() => petstore.inventory.get(petId))).quantity, 5, "the quantity in the original")
    }),
  "a backup that is made during writes shows the state between two of them": (petstore, backups) =>
    Effect.gen(function* () {
      const file = yield* backups.file
      const petId = yield* tried(() => petOf(petstore, 100))
      const writes = Array.from({ length: 50 }, () => orderOf(petstore, petId))
      yield* tried(() => Promise.all([petstore.backup(file), ...writes]))
      const copy = yield* backups.open(file)
      const orders = yield* tried(() => collect(copy.orders.all()))
      assertEqual((yield* tried(() => copy.inventory.get(petId))).reserved, orders.length)
      assertTrue((yield* tried(() => copy.verify())).ok, "the copy verifies")
    }),
  "a backup does not overwrite a file": (petstore, backups) =>
    Effect.gen(function* () {
      const file = yield* backups.file
      yield* tried(() => petstore.backup(file))
      const again = yield* Effect.exit(tried(() => petstore.backup(file)))
      assertEqual(again._tag, "Failure")
      assertEqual((yield* tried(() => petstore.pets.list())).items, [])
    }),
  "a backup that is cancelled before it starts rejects with the reason and creates no file": (petstore, backups) =>
    Effect.gen(function* () {
      const file = yield* backups.file
      const reason = new Error("The operator left")
      const error = yield* Effect.flip(tried(() => petstore.backup(file, { signal: AbortSignal.abort(reason) })))
      assertEqual(error === reason, true, "the reason is the signal's")
      yield* tried(() => petstore.backup(file))
    }),
  "a closed petstore makes no backup": (petstore, backups) =>
    Effect.gen(function* () {
      const file = yield* backups.file
      yield* tried(() => petstore.close())
      yield* tried(() => rejectsWith("shutting_down", petstore.backup(file)))
    })
}

const withoutFiles = async (petstore: Petstore): Promise<void> => {
  const reason = await petstore.backup("backup.db").then(
    () => undefined,
    (error: unknown) => error
  )
  assertTrue(
    reason instanceof TypeError && reason.message.includes("no files"),
    `${reason} says that there are no files`
  )
}

/** What `backup` promises; a storage without files rejects it. */
export const backupCases = ({ open, backups }: EmbeddedFixture): ReadonlyArray<ContractCase> => {
  const group = "backups"
  if (backups === undefined) {
    const name = "a storage without files rejects a backup and says why"
    const run = Effect.scoped(Effect.flatMap(open, (petstore) => tried(() => withoutFiles(petstore))))
    return [{ group, name, run }]
  }
  return Object.entries(copies).map(([name, body]) => ({
    group,
    name,
    run: Effect.scoped(Effect.flatMap(open, (petstore) => body(petstore, backups)))
  }))
}
