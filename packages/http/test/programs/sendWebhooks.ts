import { webhookSender } from "@petstore/http/webhooks"
import * as Effect from "effect/Effect"
import { webhookTo } from "../support/receivers.ts"

// Sends a webhook to each URL in the arguments, and prints the outcomes.
const { send } = webhookSender({ allowLoopback: true })
const outcomes = await Effect.runPromise(Effect.forEach(process.argv.slice(2), (url) => send(webhookTo(url))))
process.stdout.write(JSON.stringify(outcomes))
