// Backs up the store in the first file given to the second.

import * as Effect from "effect/Effect"
import { openStore } from "../../src/sqlite/store.ts"

const [, , file = "", target = ""] = process.argv

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const { store } = yield* openStore({ file })
      if (store.backup === undefined) throw new Error("The store makes no backups")
      yield* store.backup(target)
    })
  )
)
