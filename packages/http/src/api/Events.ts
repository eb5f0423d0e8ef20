import { Event, EventListQuery, EventQuery, eventScopes, limits } from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import { describeSchema, type OperationDocs } from "./docs.ts"
import { eventDocs, eventSchemaDocs } from "./eventDocs.ts"
import { operation } from "./operation.ts"
import { PositionParameter, pageParameters, wholeNumber } from "./parameters.ts"

const LatestEvent = Schema.Struct({
  seq: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
}).annotate({ identifier: "LatestEvent" })

const filters = {
  after: Schema.optionalKey(PositionParameter),
  types: EventListQuery.fields.types,
  subject: EventQuery.fields.subject
}

const types = {
  description: `Only events of these types. Repeat the parameter for each type, at most ${limits.eventTypes} times. Default: all that the scopes allow.`,
  example: ["order.placed", "order.completed"]
}
const subject = {
  description:
    "Only events of this resource: its collection and its id, such as `pets/1`, `inventory/1`, `categories/1`, `orders/1`, `webhooks/1`, `apiKeys/1` or `messages/msg_01jz3v9k2m4n6p8q`.",
  example: "orders/1"
}

const listEvents = operation("listEvents", "GET", "/events", {
  useCase: "events.list",
  query: {
    ...filters,
    since: EventListQuery.fields.since,
    until: EventListQuery.fields.until,
    sort: EventListQuery.fields.sort,
    ...pageParameters
  },
  success: Schema.Array(Event),
  scopes: ["events:read"],
  typeScopes: eventScopes,
  ownScope: "orders:own"
})
export const listEventsDocs = (): OperationDocs<typeof listEvents> => ({
  summary: "List events",
  description:
    'Returns a page of events, in the order of their commits. With filters, a request searches at most 1,000 events: a page may contain few events or none although more follow. Only a response without a `rel="next"` link is the last page. With the index `events.subject`, those of a `subject` are found wherever they are.',
  query: {
    after: {
      description: "Start after this `seq`; 0 starts at the beginning. Default: the first event that is kept.",
      example: 41
    },
    types,
    subject,
    since: {
      description:
        "Only events of this time or later, found without reading the log before. Exact as long as clocks differ or are set back, and transactions last, by less than 10 seconds in all.",
      example: "2026-05-04T09:30:00Z"
    },
    until: { description: "Only events before this time.", example: "2026-05-04T10:30:00Z" },
    sort: {
      description:
        "`-seq` lists the newest first; those of a `subject` only with the index `events.subject`. Default: `seq`.",
      example: "-seq"
    }
  },
  success: "A page of events.",
  response: [eventDocs()["category.created"].example],
  stability: "stable"
})

const getLatestEvent = operation("getLatestEvent", "GET", "/events/latest", {
  useCase: "events.latest",
  success: LatestEvent,
  scopes: ["events:read"],
  typeScopes: eventScopes,
  ownScope: "orders:own"
})
export const getLatestEventDocs = (): OperationDocs<typeof getLatestEvent> => ({
  summary: "Get the end of the event log",
  description: "Returns the `seq` of the last event, which later reads can start after.",
  success: "The position of the last event.",
  response: { seq: 42 },
  stability: "stable"
})

const streamEvents = operation("streamEvents", "GET", "/events/stream", {
  useCase: "events.stream",
  query: { ...filters, interval: Schema.optionalKey(wholeNumber(1, 1000)) },
  success: Schema.String,
  scopes: ["events:read"],
  typeScopes: eventScopes,
  ownScope: "orders:own",
  streams: true
})
export const streamEventsDocs = (): OperationDocs<typeof streamEvents> => {
  const { example } = eventDocs()["order.placed"]
  return {
    summary: "Stream events",
    description:
      "Sends the events after a position, including future ones, as Server-Sent Events: `id` is the `seq`, `event` the type, and `data` the event as JSON, as `GET /events` returns it. A frame with only an `id` moves the position past events that were not selected. Lines that begin with a colon are heartbeats. The stream ends when the server stops, when the key is revoked or expires, or when the client has read nothing for 30 seconds: connect again with the last `id`, and no event is missed or repeated.",
    query: {
      after: {
        description: "Start after this `seq`; 0 starts at the beginning. Default: new events only.",
        example: 41
      },
      types,
      subject,
      interval: {
        description:
          "The least number of milliseconds between two sendings: what is committed meanwhile is sent together. For pages that people look at. Streams with an interval do not count to the limits of those without, and have the same limits. Default: each commit is sent at once.",
        example: 100
      }
    },
    success: "The events, as they are committed. The response does not end by itself.",
    response: `id: ${example.seq}\nevent: ${example.type}\ndata: ${JSON.stringify(example)}\n\n`,
    stability: "stable"
  }
}

export const eventsDocs = () => ({
  parameters: {},
  schemas: [
    ...eventSchemaDocs(),
    describeSchema(LatestEvent, "The end of the event log.", {
      seq: "The `seq` of the last event; 0 if there is none."
    })
  ]
})

export const eventsOperations = { tag: "Events", operations: [listEvents, getLatestEvent, streamEvents] }
