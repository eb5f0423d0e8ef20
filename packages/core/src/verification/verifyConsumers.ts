import * as Effect from "effect/Effect"
import { type ConsumerRecord, consumers, parkedEvents } from "../consumers/consumerTables.ts"
import { eachPageOf } from "./pages.ts"
import type { Run } from "./Run.ts"

/** Checks the consumers of events. */
export const verifyConsumers = Effect.fnUntraced(function* ({ report, store }: Run) {
  const [check, checkTimes] = [report.on("consumer"), report.on("times")]
  const latest = yield* store.events.latest
  yield* eachPageOf(store, consumers, (page) =>
    Effect.sync(() => {
      for (const consumer of page) {
        const { createdAt, failure, lease, name, retryAt } = consumer
        checkTimes({
          row: { consumer: name },
          times: { createdAt, failedAt: failure?.at, retryAt, leaseUntil: lease.until }
        })
        check({ consumer, latest })
      }
    })
  )
})

/** Checks each parked event with its consumer. */
export const verifyParkedEvents = ({ report, store }: Run) => {
  const [check, checkTimes] = [report.on("parkedEvent"), report.on("times")]
  let found: { readonly name: string; readonly consumer: ConsumerRecord | undefined } | undefined
  return eachPageOf(
    store,
    parkedEvents,
    Effect.fnUntraced(function* (page) {
      for (const event of page) {
        const { consumer: name, parkedAt, seq } = event
        if (found?.name !== name) found = { name, consumer: yield* store.find(consumers, name) }
        checkTimes({ row: { consumer: name, seq }, times: { parkedAt } })
        check({ event, consumer: found.consumer })
      }
    })
  )
}
