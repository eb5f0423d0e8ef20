import * as Effect from "effect/Effect"
import type { ConsumerRecord } from "../../ports/ConsumerRows.ts"
import { eachPage } from "./pages.ts"
import type { Run } from "./Run.ts"

/** Checks the consumers of events. */
export const verifyConsumers = Effect.fnUntraced(function* ({ report, store }: Run) {
  const [check, checkTimes] = [report.on("consumer"), report.on("times")]
  const latest = yield* store.events.latest
  yield* eachPage(
    store.consumers.list,
    "",
    ({ name }) => name,
    (page) =>
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
  return eachPage(
    store.parkedEvents.scan,
    { consumer: "", seq: 0 },
    ({ consumer, seq }) => ({ consumer, seq }),
    Effect.fnUntraced(function* (page) {
      for (const event of page) {
        const { consumer: name, parkedAt, seq } = event
        if (found?.name !== name) found = { name, consumer: yield* store.consumers.find(name) }
        checkTimes({ row: { consumer: name, seq }, times: { parkedAt } })
        check({ event, consumer: found.consumer })
      }
    })
  )
}
