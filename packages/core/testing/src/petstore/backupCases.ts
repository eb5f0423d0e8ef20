import type { Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { ContractCase } from "../ContractCase.ts"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { orderOf, petOf } from "./given.ts"
import { collect, petAndStock } from "./inspect.ts"
import type { EmbeddedFixture } from "./PetstoreFixture.ts"
import { reasonOf, rejectsAs, rejectsWith } from "./rejections.ts"

/** The path of a file that does not exist yet, and how to open a petstore on it. */
interface Copies {
  readonly file: string
  readonly open: () => Promise<Petstore>
}

const bodies: Readonly<Record<string, (petstore: Petstore, copies: Copies) => Promise<void>>> = {
  "a backup is a petstore with the same state, and keeps it": async (petstore, { file, open }) => {
    const petId = await petOf(petstore, 9)
    await orderOf(petstore, petId, 2)
    const before = await petAndStock(petstore, petId)
    await petstore.backup(file)
    await petstore.inventory.set(petId, 5)
    const copy = await open()
    assertEqual(await petAndStock(copy, petId), before)
    assertTrue((await copy.verify()).ok, "the copy verifies")
    assertEqual((await copy.inventory.set(petId, 7)).quantity, 7, "the quantity in the copy")
    assertEqual((await petstore.inventory.get(petId)).quantity, 5, "the quantity in the original")
  },
  "a backup that is made during writes shows the state between two of them": async (petstore, { file, open }) => {
    const petId = await petOf(petstore, 100)
    const writes = Array.from({ length: 50 }, () => orderOf(petstore, petId))
    await Promise.all([petstore.backup(file), ...writes])
    const copy = await open()
    assertEqual((await copy.inventory.get(petId)).reserved, (await collect(copy.orders.all())).length)
    assertTrue((await copy.verify()).ok, "the copy verifies")
  },
  "a backup does not overwrite a file": async (petstore, { file }) => {
    await petstore.backup(file)
    await reasonOf(petstore.backup(file))
    assertEqual((await petstore.pets.list()).items, [])
  },
  "a backup that is cancelled before it starts rejects with the reason and creates no file": async (
    petstore,
    { file }
  ) => {
    const reason = new Error("The operator left")
    await rejectsAs(reason, petstore.backup(file, { signal: AbortSignal.abort(reason) }))
    await petstore.backup(file)
  },
  "a closed petstore makes no backup": async (petstore, { file }) => {
    await petstore.close()
    await rejectsWith("shutting_down", petstore.backup(file))
  }
}

const withoutFiles = petstoreCases<Petstore>("backups", {
  "a storage without files rejects a backup and says why": async (petstore) => {
    const reason = await reasonOf(petstore.backup("backup.db"))
    assertTrue(reason instanceof TypeError && reason.message.includes("no files"), `${reason} is about files`)
  }
})

/** What `backup` promises; a storage without files rejects it. */
export const backupCases = ({ open, backups }: EmbeddedFixture): ReadonlyArray<ContractCase> => {
  if (backups === undefined) return withoutFiles({ open })
  return Object.entries(bodies).map(([name, body]) => {
    const run = Effect.gen(function* () {
      const [petstore, file, scope] = [yield* open, yield* backups.file, yield* Scope.Scope]
      const openCopy = () => Effect.runPromise(Scope.provide(backups.open(file), scope))
      yield* Effect.tryPromise({ try: () => body(petstore, { file, open: openCopy }), catch: (error) => error })
    })
    return { group: "backups", name, run: Effect.scoped(run) }
  })
}
