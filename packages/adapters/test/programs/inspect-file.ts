/** Inspects a file, and writes the problems that it finds, or the error. */

import * as Effect from "effect/Effect"
import { openStore } from "../../src/sqlite/store.ts"
import { writeLine } from "../support/writeLine.ts"

const [file = ""] = process.argv.slice(2)

await Effect.gen(function* () {
  const { store } = yield* openStore({ file })
  const problems = yield* store.inspect
  writeLine(JSON.stringify(problems))
}).pipe(
  Effect.catch((error) => Effect.sync(() => writeLine(`${error._tag}: ${error.message}`))),
  Effect.scoped,
  Effect.runPromise
)
