import type { EventRecord } from "../events/eventTable.ts"
import { traceparent } from "../events/eventTable.ts"
import type { TracedWork } from "../services/tracing.ts"

/** The span of the events that a consumer handles together, by the semantic conventions of messaging. */
export const handlingSpan = (consumer: string, events: ReadonlyArray<EventRecord>, attempt: number): TracedWork => {
  const [event] = events
  return {
    name: "process events",
    kind: "consumer",
    attributes: {
      "messaging.system": "petstore",
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.destination.name": "events",
      "messaging.consumer.group.name": consumer,
      ...(events.length > 1 || event === undefined
        ? { "messaging.batch.message_count": events.length }
        : { "messaging.message.id": event.id, "petstore.event.type": event.type }),
      "petstore.consumer.attempt": attempt
    },
    causes: events.map((event) => event[traceparent])
  }
}
