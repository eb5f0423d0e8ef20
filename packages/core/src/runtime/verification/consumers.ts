/** Consumers of events. */

import * as Effect from "effect/Effect"
import { isConsumerName } from "../../domain/consumers/Consumer.ts"
import { eventTypes } from "../../domain/events/Event.ts"
import { type ConsumerRecord, consumers, type ParkedEventRecord, parkedEvents } from "../../tables/consumerTables.ts"
import { eachRowOf, type Pass } from "./Pass.ts"
import type { Rule } from "./Report.ts"

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

/** What is wrong with a consumer, when the log ends with `latest`; undefined if nothing is. */
export const consumerProblem = (consumer: ConsumerRecord, latest: number): string | undefined => {
  const { attempts, failure, holder, lease, name, position, retryAt, types } = consumer
  if (!isConsumerName(name)) return "its name is not a valid consumer name"
  if (!isCount(position) || position > latest) return "its position is not that of an event"
  if (!isCount(lease.fence) || (lease.until !== undefined && lease.fence === 0)) return "it has a lease without a claim"
  if ((lease.until === undefined) !== (holder === undefined) || holder === "") return "it has a lease without a holder"
  if (types !== undefined && (!Array.isArray(types) || types.length === 0 || !types.every(isEventType))) {
    return "it handles types that do not exist"
  }
  if (!isCount(attempts)) return "its attempts are not a whole number"
  if (attempts > 0 !== (retryAt !== undefined)) return "its failed event has no next attempt"
  return attempts > 0 && failure === undefined ? "its failed event has no failure" : undefined
}

const isEventType = (type: unknown): boolean => typeof type === "string" && Object.hasOwn(eventTypes, type)

/** What is wrong with a parked event of a consumer; undefined if nothing is. */
export const parkedEventProblem = (
  { attempts, seq }: ParkedEventRecord,
  consumer: ConsumerRecord | undefined
): string | undefined => {
  if (consumer === undefined) return "there is no such consumer"
  if (!Number.isSafeInteger(attempts) || attempts < 1) return "it has not failed"
  return Number.isSafeInteger(seq) && seq >= 1 && seq <= consumer.position ? undefined : "its consumer is not past it"
}

export const consumerRules: ReadonlyArray<Rule> = [
  {
    name: "consumers_valid",
    demands:
      "A consumer has a position in the log, types that exist, a lease only with a holder, and a failure for each failed attempt.",
    check: {
      consumer: ({ consumer, latest }) => {
        const problem = consumerProblem(consumer, latest)
        return problem === undefined || { consumer: consumer.name, problem }
      }
    }
  },
  {
    name: "parked_events_passed",
    demands: "A parked event has failed, and its consumer is past it.",
    check: {
      parkedEvent: ({ consumer, event }) => {
        const problem = parkedEventProblem(event, consumer)
        return problem === undefined || { consumer: event.consumer, seq: event.seq, problem }
      }
    }
  }
]

/** Checks the consumers of events. */
export const verifyConsumers = (pass: Pass) => {
  const check = pass.report.on("consumer")
  return Effect.flatMap(pass.store.events.latest, (latest) =>
    eachRowOf(pass, consumers, { id: "consumer" }, (consumer) => check({ consumer, latest }))
  )
}

/** Checks each parked event with its consumer. */
export const verifyParkedEvents = (pass: Pass) => {
  const check = pass.report.on("parkedEvent")
  let latest: { readonly name: string; readonly consumer: ConsumerRecord | undefined } | undefined
  return eachRowOf(
    pass,
    parkedEvents,
    {},
    Effect.fnUntraced(function* (event) {
      const { consumer: name } = event
      if (latest?.name !== name) latest = { name, consumer: yield* pass.store.find(consumers, name) }
      check({ event, consumer: latest.consumer })
    })
  )
}
