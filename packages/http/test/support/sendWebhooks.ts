import * as Effect from "effect/Effect"
import { aSender, webhookTo } from "./receivers.ts"

// Sends a webhook to each URL in the arguments, and prints the outcomes.
const program = Effect.gen(function* () {
  const { send } = yield* aSender()
  return yield* Effect.forEach(process.argv.slice(2), (url) => send(webhookTo(url)))
})

process.stdout.write(JSON.stringify(await Effect.runPromise(Effect.scoped(program))))
