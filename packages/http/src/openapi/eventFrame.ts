import { EventType } from "@petstore/core/domain"
import { schemaReference } from "./fromJsonSchema.ts"
import type { SchemaObject } from "./OpenApi.ts"

/**
 * One frame of a stream of events. OpenAPI 3.0.3 describes the text of a whole body only; version 3.2 describes frames by
 * `itemSchema`, of which this is the value.
 */
export const eventFrame: SchemaObject = {
  description: "A frame of the stream. One with an `id` alone moves the position past events that were not selected.",
  type: "object",
  properties: {
    id: {
      description: "The `seq` up to which everything selected has been sent.",
      type: "string",
      pattern: "^[1-9][0-9]{0,15}$"
    },
    event: { description: "The `type` of the event.", type: "string", enum: EventType.literals },
    data: {
      description: "The event as JSON.",
      type: "string",
      "x-contentMediaType": "application/json",
      "x-contentSchema": schemaReference("Event")
    }
  },
  required: ["id"]
}
