import { AnyConsumerName, EventType, Id, integer, Timestamp } from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import { describeSchema, type OperationDocs } from "./docs.ts"
import { operation } from "./operation.ts"
import { IdParameter, pageParameters } from "./parameters.ts"

const Count = integer(0, Number.MAX_SAFE_INTEGER, "int64")

const ConsumerLease = Schema.Struct({ holder: Schema.String, until: Timestamp }).annotate({
  identifier: "ConsumerLease"
})
const ConsumerError = Schema.Struct({ message: Schema.String, at: Timestamp }).annotate({ identifier: "ConsumerError" })

const Consumer = Schema.Struct({
  name: Schema.String,
  position: Count,
  lag: Count,
  types: Schema.optionalKey(Schema.Array(EventType)),
  lease: Schema.optionalKey(ConsumerLease),
  attempts: Count,
  retryAt: Schema.optionalKey(Timestamp),
  lastError: Schema.optionalKey(ConsumerError),
  createdAt: Timestamp
}).annotate({ identifier: "Consumer" })

const ParkedEvent = Schema.Struct({
  seq: Id,
  attempts: Count,
  error: Schema.String,
  parkedAt: Timestamp,
  replaying: Schema.Boolean
}).annotate({ identifier: "ParkedEvent" })

const params = { consumerName: AnyConsumerName }
const parkedParams = { ...params, seq: IdParameter }

const at = "2026-05-04T09:30:00.000Z"
const consumer: typeof Consumer.Type = {
  name: "invoices",
  position: 40,
  lag: 2,
  types: ["order.completed"],
  lease: { holder: "shop-1", until: "2026-05-04T09:30:10.000Z" },
  attempts: 0,
  createdAt: at
}
const parkedEvent: typeof ParkedEvent.Type = {
  seq: 1,
  attempts: 5,
  error: "Error: The invoice service is down",
  parkedAt: at,
  replaying: false
}

const listConsumers = operation("listConsumers", "GET", "/consumers", {
  useCase: "consumers.list",
  query: pageParameters,
  success: Schema.Array(Consumer),
  scopes: ["consumers:read"]
})
export const listConsumersDocs = (): OperationDocs<typeof listConsumers> => ({
  summary: "List consumers",
  description: "Returns a page of the durable consumers of events, sorted by name, whichever process runs them.",
  success: "A page of consumers.",
  response: [consumer],
  stability: "beta"
})

const getConsumer = operation("getConsumer", "GET", "/consumers/:consumerName", {
  useCase: "consumers.get",
  params,
  success: Consumer,
  scopes: ["consumers:read"]
})
export const getConsumerDocs = (): OperationDocs<typeof getConsumer> => ({
  summary: "Get a consumer",
  description: "Returns the position of a consumer, its last failure, and the process that runs it.",
  success: "The consumer.",
  response: consumer,
  stability: "beta"
})

const listParkedEvents = operation("listParkedEvents", "GET", "/consumers/:consumerName/parked", {
  useCase: "consumers.parked",
  params,
  query: pageParameters,
  success: Schema.Array(ParkedEvent),
  scopes: ["consumers:read"]
})
export const listParkedEventsDocs = (): OperationDocs<typeof listParkedEvents> => ({
  summary: "List parked events",
  description:
    "Returns a page of the events that a consumer has passed without handling them, because they failed too often, sorted by `seq`.",
  success: "A page of parked events.",
  response: [parkedEvent],
  stability: "beta"
})

const replayParkedEvent = operation("replayParkedEvent", "POST", "/consumers/:consumerName/parked/:seq/replay", {
  useCase: "consumers.replay",
  params: parkedParams,
  scopes: ["consumers:write"],
  repeatable: false
})
export const replayParkedEventDocs = (): OperationDocs<typeof replayParkedEvent> => ({
  summary: "Replay a parked event",
  description:
    "Makes a consumer handle a parked event once more, as soon as it runs. A success removes the event from the parked ones.",
  success: "The event will be handled.",
  stability: "beta"
})

const discardParkedEvent = operation("discardParkedEvent", "POST", "/consumers/:consumerName/parked/:seq/discard", {
  useCase: "consumers.discard",
  params: parkedParams,
  scopes: ["consumers:write"],
  repeatable: false
})
export const discardParkedEventDocs = (): OperationDocs<typeof discardParkedEvent> => ({
  summary: "Discard a parked event",
  description: "Removes a parked event, so that its consumer never handles it. The event stays in the log.",
  success: "The event is no longer parked.",
  stability: "beta"
})

export const consumersDocs = () => ({
  parameters: {
    consumerName: {
      description: "The name of the consumer. Names that begin with `petstore:` are those of the petstore itself.",
      example: consumer.name
    },
    seq: { description: "The `seq` of the event.", example: parkedEvent.seq }
  },
  schemas: [
    describeSchema(Consumer, "A durable consumer of events.", {
      name: "The name that it was opened with.",
      position: "The `seq` of the last event that it is done with, together with all before it.",
      lag: "How many events come after its position, those of other types included.",
      types: "The types of events that it handles. Absent for all.",
      lease: "The process that runs it. Absent if none does.",
      attempts: "How many attempts to handle the next event have failed.",
      retryAt: "When the next event is tried again. Absent if it has not failed.",
      lastError: "The last failure, also of an event that was handled or parked later.",
      createdAt: "When it was first opened."
    }),
    describeSchema(ConsumerLease, "The process that runs a consumer.", {
      holder: "The process.",
      until: "When another process may take over, unless it is extended."
    }),
    describeSchema(ConsumerError, "The failure of an event.", {
      message: "What the handler threw.",
      at: "When it failed."
    }),
    describeSchema(ParkedEvent, "An event that a consumer has passed without handling it.", {
      seq: "The `seq` of the event.",
      attempts: "How many attempts have failed.",
      error: "Why the last attempt failed.",
      parkedAt: "When it was parked.",
      replaying: "Whether it was replayed: the consumer handles it as soon as it runs."
    })
  ]
})

export const consumersOperations = {
  tag: "Events",
  operations: [listConsumers, getConsumer, listParkedEvents, replayParkedEvent, discardParkedEvent]
}
