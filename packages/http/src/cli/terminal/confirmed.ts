import { createInterface } from "node:readline/promises"
import * as Effect from "effect/Effect"
import { SubcommandFailed } from "../errors.ts"

interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/** Asks in a terminal whether to do what cannot be undone. In a pipe nobody can answer, and nobody is asked. */
export const confirmed = (
  question: string,
  yes: boolean,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr }
): Effect.Effect<void, SubcommandFailed> =>
  Effect.gen(function* () {
    if (yes || input.isTTY !== true || output.isTTY !== true) return
    const answer = yield* Effect.promise(async (signal) => {
      const lines = createInterface({ input, output })
      try {
        return await lines.question(`${question} [y/N] `, { signal })
      } finally {
        lines.close()
      }
    })
    if (!/^y(?:es)?$/i.test(answer.trim())) {
      return yield* new SubcommandFailed({ message: "Nothing was changed" })
    }
  })
