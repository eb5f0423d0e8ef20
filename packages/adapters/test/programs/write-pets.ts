// Adds pets to a file, with the given concurrency and up to the given number (default: no limit). Writes the name of each
// as soon as it is committed, without buffering. Moves the log into the file each time it has added another given number of
// pets (default: never). Ends with the first failure, and writes its name.

import { CategoryNameTaken } from "@petstore/core/domain"
import { categoriesByName } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { openStore } from "../../src/sqlite/store.ts"
import { addCategory, addPet } from "../support/rows.ts"
import { writeLine } from "../support/writeLine.ts"

const [, , file = "", concurrency = "1", total = "Infinity", petsPerCheckpoint = "Infinity"] = process.argv

const program = Effect.gen(function* () {
  writeLine("started")
  const { store, writer } = yield* openStore({ file })
  // Several that start at once add it once.
  yield* Effect.catchIf(
    Effect.asVoid(store.run((tx) => addCategory(tx))),
    (error) => (error as Error) instanceof CategoryNameTaken,
    () => Effect.void
  )
  const [found] = yield* store.select(categoriesByName, "dogs", 1)
  const categoryId = found?.category.id ?? 0
  let next = 0
  const caller = Effect.gen(function* () {
    while (next < Number(total)) {
      const name = `${process.pid}-${next++}`
      yield* store.run((tx) => addPet(tx, categoryId, name))
      writeLine(name)
      if (next % Number(petsPerCheckpoint) === 0) writer.database.exec("PRAGMA wal_checkpoint(PASSIVE)")
    }
  })
  yield* Effect.all(
    Array.from({ length: Number(concurrency) }, () => caller),
    { concurrency: "unbounded" }
  )
})

const failed = ({ _tag }: { readonly _tag: string }) => Effect.sync(() => writeLine(`failed: ${_tag}`))

await Effect.runPromise(Effect.scoped(Effect.provide(Effect.catch(program, failed), Logger.layer([]))))
