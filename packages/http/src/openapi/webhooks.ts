import { EventType, eventTypes, WebhookEvent, WebhookTest } from "@petstore/core/domain"
import { eventDocs, webhookTestDocs } from "../api/eventDocs.ts"
import type { PlainSchema } from "../api/operation.ts"
import { extensionsOf } from "./extensions.ts"
import type { ExampleObject, OperationObject, PathItem, Reference, ResponseObject } from "./OpenApi.ts"
import { parameterReference } from "./parameters.ts"
import { exampleReference } from "./responses.ts"
import { successSchema } from "./schemas.ts"

// What the server sends to the endpoints of others. OpenAPI 3.0.3 has no place for it: ReDoc, Scalar and others read the paths
// of `x-webhooks`, as 3.1 has them in `webhooks`.

/** What a webhook can carry. */
type WebhookType = WebhookEvent["type"]

const types: ReadonlyArray<WebhookType> = [...EventType.literals, "webhook.test"]

const docs = { ...eventDocs(), "webhook.test": webhookTestDocs() }

/** The schemas that the components need for webhooks. */
export const webhookSchemas: ReadonlyArray<PlainSchema> = [WebhookEvent]

/** An example of what each webhook carries, by its type. */
export const webhookExamples: Readonly<Record<string, ExampleObject>> = Object.fromEntries(
  types.map((type) => [type, { summary: docs[type].summary, value: docs[type].example }])
)

/** What a receiver can respond with, by the names of the components. */
export const webhookResponses: Readonly<Record<string, ResponseObject>> = {
  WebhookDelivered: {
    description:
      "The event is delivered. Respond as soon as it is stored, and handle it afterwards. The body is read up to a limit, and ignored."
  },
  WebhookRedirected: {
    description:
      "The attempt has failed as `redirect`: redirects are not followed. The event is sent again later. Change the `url` of the webhook."
  },
  WebhookGone: {
    description:
      "The endpoint wants no more events: the webhook is disabled, with `disabledReason` of `gone`, and its delivery waits until it is enabled again."
  },
  WebhookFailed: {
    description:
      "The attempt has failed, as it does without a complete response in time. The event is sent again later, but not before `Retry-After`, with at most ten attempts in about three days.",
    headers: { "Retry-After": { $ref: "#/components/headers/ReceiverRetryAfter" } }
  }
}

const responseReference = (name: keyof typeof webhookResponses): Reference => ({
  $ref: `#/components/responses/${name}`
})

const responses = {
  "2XX": responseReference("WebhookDelivered"),
  "3XX": responseReference("WebhookRedirected"),
  410: responseReference("WebhookGone"),
  default: responseReference("WebhookFailed")
}

interface Webhook {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly schema: PlainSchema
  /** The types that it can have. */
  readonly types: ReadonlyArray<WebhookType>
}

const operationOf = ({ description, operationId, schema, summary, types }: Webhook): OperationObject => ({
  operationId,
  tags: ["Webhooks"],
  summary,
  description,
  ...extensionsOf({ stability: "experimental" }),
  security: [],
  parameters: ["WebhookEventId", "WebhookTimestamp", "WebhookSignature"].map(parameterReference),
  requestBody: {
    required: true,
    content: {
      "application/json": {
        schema: successSchema(schema),
        examples: Object.fromEntries(types.map((type) => [type, exampleReference(type)]))
      }
    }
  },
  responses
})

const receiverName = (type: string): string =>
  `receive${type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`

const webhookOf = (type: WebhookType): PathItem => ({
  post: operationOf({
    operationId: receiverName(type),
    summary: docs[type].summary,
    description: docs[type].description,
    schema: type === "webhook.test" ? WebhookTest : eventTypes[type].schema,
    types: [type]
  })
})

/** The requests that the server sends, by the type of what they carry. */
export const webhooks: Readonly<Record<string, PathItem>> = Object.fromEntries(
  types.map((type) => [type, webhookOf(type)])
)

/** The requests that the server sends to the URL in a field of the body of an operation. */
export const webhookCallbacks = (field: string): NonNullable<OperationObject["callbacks"]> => ({
  event: {
    [`{$request.body#/${field}}`]: {
      post: operationOf({
        operationId: "receiveEvent",
        summary: "An event",
        description:
          "Sent for each event whose type is one of the `types` of the webhook, after its creation, and for each test. `x-webhooks` lists the types one by one.",
        schema: WebhookEvent,
        types
      })
    }
  }
})
