import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { formatTimestamp } from "../domain/Timestamp.ts"
import { MessageQueue } from "../messages/MessageQueue.ts"
import { sleep } from "../services/background/sleep.ts"
import { RetentionPolicy } from "./RetentionPolicy.ts"

/** Milliseconds between two looks for messages that have expired, and between two batches. */
const interval = 5_000
const pause = 10
const batch = 100

/** Deletes delivered messages that have expired, as long as the engine is open. Does not keep the process alive. */
export const messagePurging = Layer.effectDiscard(
  Effect.gen(function* () {
    const { messages } = yield* RetentionPolicy
    if (messages?.for === undefined) return
    const kept = Duration.toMillis(messages.for)
    const queue = yield* MessageQueue
    let isReported = false

    const run = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const exit = yield* Effect.exit(queue.purge(formatTimestamp(Math.max(0, now - kept)), batch))
      if (Exit.isSuccess(exit)) {
        isReported = false
        return exit.value === batch ? pause : interval
      }
      if (!isReported) {
        isReported = true
        yield* Effect.logWarning("Messages that have expired could not be deleted; this is tried again", exit.cause)
      }
      return interval
    })
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(run, sleep)))
  })
)
