import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { elapsedMillis, sleep } from "../background/sleep.ts"
import { type EventHolder, RetentionPolicy, Trimming } from "./Trimming.ts"

/** Milliseconds between two looks for events that have expired. */
const intervalMillis = 5_000

/** Milliseconds between two batches, which calls have for themselves: as long as the batch took, within these bounds. */
const shortestPauseMillis = 2
const longestPauseMillis = 50

/** Milliseconds that a consumer or a webhook may keep events that have expired before the log says so, and between two such messages. */
const patienceMillis = 10 * 60_000

/** Removes events that have expired, as long as the petstore is open. Does not keep the process alive. */
export const backgroundTrimming = Layer.effectDiscard(
  Effect.gen(function* () {
    const { events } = yield* RetentionPolicy
    if (events?.for === undefined && events?.count === undefined) return
    const { trim } = yield* Trimming
    let reported: string | undefined
    let heldSince: number | undefined

    /** Logs a failure once, until it is another one. */
    const report = (problem: string, cause?: unknown) =>
      Effect.suspend(() => {
        if (problem === reported) return Effect.void
        reported = problem
        return Effect.logWarning(problem, ...(cause === undefined ? [] : [cause]))
      })

    const reportHolder = (holder: EventHolder | undefined, now: number) =>
      Effect.suspend(() => {
        if (holder === undefined) {
          heldSince = undefined
          return Effect.void
        }
        heldSince ??= now
        if (now - heldSince < patienceMillis) return Effect.void
        heldSince = now
        return Effect.logWarning(
          "consumer" in holder
            ? `Events that have expired are kept because the consumer ${holder.consumer} has not handled them`
            : `Events that have expired are kept because they are still to be delivered to webhook ${holder.webhook}`
        )
      })

    const trimEvents = Effect.gen(function* () {
      const begin = yield* elapsedMillis
      const exit = yield* Effect.exit(trim)
      if (Exit.isFailure(exit)) {
        yield* report("Events that have expired could not be removed; this is tried again", exit.cause)
        return intervalMillis
      }
      const { holder, isLast, problem } = exit.value
      if (problem === undefined) reported = undefined
      else yield* report(`Events that have expired are kept, because ${problem}. Run petstore verify.`)
      const end = yield* elapsedMillis
      yield* reportHolder(holder, end)
      return isLast ? intervalMillis : Math.min(Math.max(end - begin, shortestPauseMillis), longestPauseMillis)
    })
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(trimEvents, sleep)))
  })
)
