import {
  AttemptFailure,
  DeliveriesRequeued,
  Delivery,
  DeliveryAttempt,
  DeliveryFilter,
  DeliveryRequeue,
  DeliverySearch,
  DeliveryStatus,
  DeliveryWithAttempts,
  limits,
  NewWebhook,
  Redelivered,
  Redelivery,
  Webhook,
  WebhookDisabledReason,
  WebhookEvent,
  WebhookRotation,
  WebhookTest,
  WebhookTestResult,
  WebhookUpdate,
  WebhookWithSecret
} from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import { describeSchema, describeUnion, type OperationDocs } from "./docs.ts"
import { webhookTestDocs } from "./eventDocs.ts"
import {
  delivery,
  deliveryWithAttempts,
  scheduledDelivery,
  texts,
  webhook,
  webhookFields,
  webhookSecret
} from "./examples.ts"
import { operation } from "./operation.ts"
import { IdParameter, pageParameters, sortParameter } from "./parameters.ts"

const params = { webhookId: IdParameter }

const listWebhooks = operation("listWebhooks", "GET", "/webhooks", {
  useCase: "webhooks.list",
  query: { ...sortParameter, ...pageParameters },
  success: Schema.Array(Webhook),
  scopes: ["webhooks:read"]
})
export const listWebhooksDocs = (): OperationDocs<typeof listWebhooks> => ({
  summary: "List webhooks",
  description: "Returns a page of the endpoints that events are sent to, without their secrets, sorted by id.",
  query: { sort: { description: texts.sort, example: "-id" } },
  success: "A page of webhooks.",
  response: [webhook],
  stability: "experimental"
})

const createWebhook = operation("createWebhook", "POST", "/webhooks", {
  useCase: "webhooks.create",
  body: NewWebhook,
  success: WebhookWithSecret,
  status: 201,
  scopes: ["webhooks:write"],
  idempotencyKey: "rejected",
  secret: true,
  entityTag: "version",
  location: "/webhooks/:id"
})
export const createWebhookDocs = (): OperationDocs<typeof createWebhook> => ({
  summary: "Create a webhook",
  description: `Creates an endpoint. It receives events committed after its creation as \`POST\` requests, signed by [Standard Webhooks](https://www.standardwebhooks.com). The callback \`event\` describes these requests and what a response leads to; \`x-webhooks\` describes them type by type. ${texts.webhookSecret}`,
  request: { url: webhook.url, types: webhook.types },
  success: "The webhook was created. Only this response contains its secret.",
  response: { ...webhook, secret: webhookSecret },
  stability: "experimental",
  sendsTo: "url"
})

const getWebhook = operation("getWebhook", "GET", "/webhooks/:webhookId", {
  useCase: "webhooks.get",
  params,
  success: Webhook,
  scopes: ["webhooks:read"],
  entityTag: "version"
})
export const getWebhookDocs = (): OperationDocs<typeof getWebhook> => ({
  summary: "Get a webhook",
  description: "Returns an endpoint without its secret.",
  success: "The webhook.",
  response: webhook,
  stability: "experimental"
})

const updateWebhook = operation("updateWebhook", "PATCH", "/webhooks/:webhookId", {
  useCase: "webhooks.update",
  params,
  body: WebhookUpdate,
  success: Webhook,
  scopes: ["webhooks:write"],
  entityTag: "version"
})
export const updateWebhookDocs = (): OperationDocs<typeof updateWebhook> => {
  const { types: _, ...allTypes } = webhook
  return {
    summary: "Update a webhook",
    description: `${texts.update} \`enabled: true\` enables a disabled endpoint again: the deliveries that waited are made. Events that it missed while it was disabled are sent if you redeliver a range.`,
    request: { types: null, enabled: true },
    success: "The webhook after the change.",
    response: allTypes,
    stability: "experimental"
  }
}

const deleteWebhook = operation("deleteWebhook", "DELETE", "/webhooks/:webhookId", {
  useCase: "webhooks.delete",
  params,
  scopes: ["webhooks:write"],
  idempotencyKey: "honoured",
  entityTag: "version"
})
export const deleteWebhookDocs = (): OperationDocs<typeof deleteWebhook> => ({
  summary: "Delete a webhook",
  description: "Deletes an endpoint: nothing is sent to it any more. The id is never reused.",
  success: "The webhook was deleted.",
  stability: "experimental"
})

const rotateWebhookSecret = operation("rotateWebhookSecret", "POST", "/webhooks/:webhookId/rotate-secret", {
  useCase: "webhooks.rotateSecret",
  params,
  body: WebhookRotation,
  success: WebhookWithSecret,
  status: 201,
  scopes: ["webhooks:write"],
  idempotencyKey: "rejected",
  secret: true,
  entityTag: "version",
  location: "/webhooks/:id"
})
export const rotateWebhookSecretDocs = (): OperationDocs<typeof rotateWebhookSecret> => ({
  summary: "Rotate the secret of a webhook",
  description: `Gives an endpoint a new secret. For \`graceSeconds\`, requests are signed with the old secret too. ${texts.webhookSecret}`,
  request: { graceSeconds: 3600 },
  success: "The webhook has a new secret. Only this response contains it.",
  response: { ...webhook, secret: webhookSecret },
  stability: "experimental"
})

const testWebhook = operation("testWebhook", "POST", "/webhooks/:webhookId/test", {
  useCase: "webhooks.test",
  params,
  success: WebhookTestResult,
  scopes: ["webhooks:write"],
  repeatable: false
})
export const testWebhookDocs = (): OperationDocs<typeof testWebhook> => ({
  summary: "Test a webhook",
  description:
    "Sends an event of the type `webhook.test` to an endpoint, even if it is disabled, and returns the outcome. It is not retried.",
  success: "The outcome, whether or not the event was delivered.",
  response: { delivered: false, failure: "timeout", message: "There was no complete response within 20000 ms." },
  stability: "experimental"
})

const listDeliveries = operation("listDeliveries", "GET", "/webhooks/:webhookId/deliveries", {
  useCase: "webhooks.deliveries",
  params,
  query: { ...sortParameter, status: DeliveryFilter.fields.status, ...pageParameters },
  success: Schema.Array(Delivery),
  scopes: ["webhooks:read"],
  allOrdersScope: "orders:read"
})
export const listDeliveriesDocs = (): OperationDocs<typeof listDeliveries> => ({
  summary: "List deliveries",
  description: "Returns a page of the deliveries to an endpoint, one for each of its events, sorted by id.",
  query: {
    sort: { description: texts.sort, example: "-id" },
    status: { description: "Only deliveries with this status." }
  },
  success: "A page of deliveries.",
  response: [delivery],
  stability: "experimental"
})

const redeliver = operation("redeliver", "POST", "/webhooks/:webhookId/redeliver", {
  useCase: "webhooks.redeliver",
  params,
  body: Redelivery,
  success: Redelivered,
  scopes: ["webhooks:write"],
  repeatable: true
})
export const redeliverDocs = (): OperationDocs<typeof redeliver> => ({
  summary: "Redeliver events",
  description: `Schedules a delivery, or all deliveries of a range of events, for immediate sending, whatever their outcome was. In a range, this includes events of the endpoint's types that it missed while it was disabled, or before it was created. A request covers ${limits.redeliveries.toLocaleString("en")} events at most: continue with \`next\` as \`after\` until it is absent. Fails with \`cursor_expired\` if the first event is not kept any more.`,
  request: { after: 0 },
  success: "The deliveries are scheduled.",
  response: { scheduled: 12 },
  stability: "experimental"
})

const listAllDeliveries = operation("listAllDeliveries", "GET", "/deliveries", {
  useCase: "deliveries.list",
  query: {
    ...sortParameter,
    status: DeliverySearch.fields.status,
    type: DeliverySearch.fields.type,
    subject: DeliverySearch.fields.subject,
    ...pageParameters
  },
  success: Schema.Array(Delivery),
  scopes: ["webhooks:read"],
  allOrdersScope: "orders:read"
})
export const listAllDeliveriesDocs = (): OperationDocs<typeof listAllDeliveries> => ({
  summary: "List all deliveries",
  description:
    "Returns a page of the deliveries to all endpoints, sorted by id. With `type`, or with `status` and `subject`, a page searches 1,000 deliveries: it may be short or empty, and only one without a next link is the last.",
  query: {
    sort: { description: texts.sort, example: "-id" },
    status: { description: "Only deliveries with this status." },
    type: { description: "Only deliveries of events of this type." },
    subject: { description: "Only deliveries of events about this resource.", example: delivery.subject }
  },
  success: "A page of deliveries.",
  response: [scheduledDelivery],
  stability: "experimental"
})

const getDelivery = operation("getDelivery", "GET", "/deliveries/:deliveryId", {
  useCase: "deliveries.get",
  params: { deliveryId: IdParameter },
  success: DeliveryWithAttempts,
  scopes: ["webhooks:read"],
  allOrdersScope: "orders:read"
})
export const getDeliveryDocs = (): OperationDocs<typeof getDelivery> => ({
  summary: "Get a delivery",
  description:
    "Returns the delivery of an event to an endpoint with its latest attempts, at most 10, the oldest first. Those before it was scheduled again are among them.",
  success: "The delivery.",
  response: deliveryWithAttempts,
  stability: "experimental"
})

const requeueDeliveries = operation("requeueDeliveries", "POST", "/deliveries/requeue", {
  useCase: "deliveries.requeueAll",
  body: DeliveryRequeue,
  success: DeliveriesRequeued,
  scopes: ["webhooks:write"],
  repeatable: true
})
export const requeueDeliveriesDocs = (): OperationDocs<typeof requeueDeliveries> => ({
  summary: "Requeue failed deliveries",
  description: `Schedules all failed deliveries for immediate sending, the oldest first, except for those whose events are no longer kept. A request covers ${limits.requeues} deliveries at most: continue with \`next\` as \`after\` until it is absent.`,
  request: { status: "failed" },
  success: "The deliveries are scheduled.",
  response: { requeued: 12 },
  stability: "experimental"
})

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table
export const webhooksDocs = () => {
  const url = "Where events are sent: an https URL whose host has a public address."
  const { concurrency, description, enabled, ordered, types } = webhookFields
  const fields = { url, ...webhookFields }
  const tested = webhookTestDocs()
  const outcome = {
    failure: "Why the last attempt failed. Absent if it did not.",
    responseStatus: "The status of the last response. Absent if there was none.",
    message: "What happened, for people."
  }
  const ofDelivery = {
    id: texts.id,
    webhookId: "The webhook.",
    seq: "The `seq` of the event.",
    eventId: "The id of the event, which the header `webhook-id` contains.",
    type: "The type of the event.",
    subject: "The resource that the event is about.",
    status: "Whether it was delivered.",
    attempts: "How many attempts were made since it was scheduled.",
    createdAt: "When it was scheduled first.",
    nextAttemptAt:
      "When the next attempt is due, at the earliest. Absent if there is none, or if it waits for an earlier event of its subject.",
    lastAttemptAt: "When the last attempt ended.",
    ...outcome,
    finishedAt: "When it was delivered or failed for good."
  }
  return {
    parameters: {
      webhookId: { description: "The webhook.", example: webhook.id },
      deliveryId: { description: "The delivery.", example: 1 }
    },
    schemas: [
      describeSchema(NewWebhook, `The webhook to create. ${texts.stored}`, {
        url,
        types,
        description,
        ordered: `${ordered} Default: false.`,
        concurrency: `${concurrency} Default: 10.`
      }),
      describeSchema(Webhook, "An endpoint that events are sent to, without its secret.", fields),
      describeSchema(WebhookWithSecret, "A webhook with its secret, which no other response contains.", {
        ...fields,
        secret: "The secret that signs requests to the endpoint."
      }),
      describeSchema(
        WebhookUpdate,
        `Changes to a webhook. ${texts.partial} \`types\` of null stand for the default; a \`description\` of null removes it.`,
        {
          url,
          types,
          description,
          concurrency,
          enabled
        }
      ),
      describeSchema(WebhookRotation, "The options of a rotation.", {
        graceSeconds: "How long requests are signed with the old secret too, in seconds. Default: 86400 (one day)."
      }),
      describeSchema(
        WebhookDisabledReason,
        "`requested`: by an update. `gone`: the endpoint responded 410. `failing`: every attempt failed for five days."
      ),
      describeUnion(
        WebhookEvent,
        "What a webhook carries: an event, or a test of the endpoint. Its `type` determines its `data`. Future versions may add types: respond with 2xx to those that you do not know."
      ),
      describeSchema(WebhookTest, `${tested.summary}. ${tested.description}`, {
        id: "Unique identifier.",
        type: "That it is a test.",
        timestamp: "When it was sent.",
        subject: "The webhook.",
        data: "The id of the webhook."
      }),
      describeSchema(WebhookTestResult, "The outcome of a test.", {
        delivered: "Whether the endpoint responded 2xx.",
        ...outcome
      }),
      describeSchema(Delivery, "The delivery of an event to an endpoint.", ofDelivery),
      describeSchema(DeliveryWithAttempts, "The delivery of an event to an endpoint, with its latest attempts.", {
        ...ofDelivery,
        latestAttempts: "The latest attempts, the oldest first. Those that an earlier release made are not among them."
      }),
      describeSchema(DeliveryAttempt, "One attempt of a delivery.", {
        at: "When it ended.",
        durationMs: "How long it took, in milliseconds.",
        delivered: "Whether the endpoint responded 2xx.",
        responseStatus: "The status of the response. Absent if there was none.",
        failure: "Why it failed. Absent if it did not.",
        message: outcome.message
      }),
      describeSchema(
        DeliveryStatus,
        "`pending`: an attempt is due or being made. `delivered`: the endpoint responded 2xx. `failed`: the last attempt failed."
      ),
      describeSchema(
        AttemptFailure,
        "`status`: the endpoint responded with an error. `gone`: it responded 410. `redirect`: it responded with a redirect, which is not followed. `timeout`: there was no complete response in time. `connection`: the connection could not be made or broke. `address`: the URL or its address is not allowed. `response_too_large`, `invalid_response`: the response could not be read. `no_sender`: this server sends no webhooks. `event_gone`: the event is no longer in the log. `attempt_lost`: the process of the attempt stopped, or could not reach the database."
      ),
      describeSchema(
        Redelivery,
        "What to deliver again: one delivery, or the deliveries of the events after `after` up to `through`.",
        {
          deliveryId: "The delivery.",
          after: "Events with a `seq` above this one.",
          through: "Events up to this `seq`. Default: the last event."
        }
      ),
      describeSchema(DeliveryRequeue, "Which deliveries to schedule again.", {
        status: "Those that have failed.",
        webhookId: "Those to this webhook. Default: to all.",
        after: "Those behind this delivery. Default: from the oldest."
      }),
      describeSchema(DeliveriesRequeued, "What was scheduled again.", {
        requeued: "The number of deliveries.",
        next: "Where to continue: send it as `after`. Absent if there are no more."
      }),
      describeSchema(Redelivered, "What was scheduled.", {
        scheduled: "The number of deliveries.",
        next: "Where to continue: send it as `after`. Absent if the range is done."
      })
    ]
  }
}

export const webhooksOperations = {
  tag: "Webhooks",
  operations: [
    listWebhooks,
    createWebhook,
    getWebhook,
    updateWebhook,
    deleteWebhook,
    rotateWebhookSecret,
    testWebhook,
    listDeliveries,
    redeliver,
    listAllDeliveries,
    getDelivery,
    requeueDeliveries
  ]
}
