/** Consumers of events. */

import { consumerProblem, parkedEventProblem } from "../consumerProblem.ts"
import type { Rule } from "../Rule.ts"

export const consumerRules: ReadonlyArray<Rule> = [
  {
    name: "consumers_valid",
    demands:
      "A consumer has a position in the log, types that exist, a lease only with its holder, and a failure for each failed attempt.",
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
