/** Endpoints of webhooks, and the rules of their changes. Pure functions. */

import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Event, EventType } from "../events/Event.ts"
import { eventScopeOf } from "../events/EventType.ts"
import { ResourceId } from "../events/eventData.ts"
import { integer } from "../Id.ts"
import { limits } from "../limits.ts"
import { matches, prose } from "../Text.ts"
import { Timestamp } from "../Timestamp.ts"
import { WebhookConcurrency, type WebhookDisabledReason, WebhookState } from "./WebhookState.ts"

export { WebhookDisabledReason } from "./WebhookState.ts"

/** An absolute URL in visible ASCII. Which ones are allowed depends on what sends: see `WebhookSender`. */
export const WebhookUrl = Schema.String.check(
  matches(
    /^https?:\/\/[\x21-\x7e]{1,2040}$/,
    "Expected an absolute URL of at most 2048 characters that begins with https://"
  )
)

const types = Schema.Array(EventType).check(
  Schema.isMinLength(1, { message: "Expected at least one type" }),
  Schema.isUnique({ message: "Expected each type once" })
)
const description = prose(0, limits.description)

/** The input of a new endpoint. */
export const NewWebhook = Schema.Struct({
  url: WebhookUrl,
  /** Types of the events that it receives. Default: all. */
  types: Schema.optionalKey(types),
  description: Schema.optionalKey(description),
  /** Whether the events of one subject are sent in order: each waits until the previous one was delivered or has failed for good. Default: false. */
  ordered: Schema.optionalKey(Schema.Boolean),
  /** Maximum number of concurrent requests to the endpoint. Default: 10. */
  concurrency: Schema.optionalKey(WebhookConcurrency)
}).annotate({ identifier: "NewWebhook" })
export interface NewWebhook extends Schema.Schema.Type<typeof NewWebhook> {}

/** An endpoint that receives events, without its secret. */
export const Webhook = Schema.Struct({
  id: WebhookState.fields.id,
  url: Schema.String,
  ...Struct.omit(WebhookState.fields, ["id"])
}).annotate({ identifier: "Webhook" })
export interface Webhook extends Schema.Schema.Type<typeof Webhook> {}

/** An endpoint with its secret, which only its creation and rotation return. */
export const WebhookWithSecret = Schema.Struct({ ...Webhook.fields, secret: Schema.String }).annotate({
  identifier: "WebhookWithSecret"
})
export interface WebhookWithSecret extends Schema.Schema.Type<typeof WebhookWithSecret> {}

/** A change of an endpoint: absent fields stay as they are; null removes the types (it then receives the default) or the description. */
export const WebhookUpdate = Schema.Struct({
  url: Schema.optionalKey(WebhookUrl),
  types: Schema.optionalKey(Schema.NullOr(types)),
  description: Schema.optionalKey(Schema.NullOr(description)),
  concurrency: Schema.optionalKey(WebhookConcurrency),
  enabled: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "WebhookUpdate" })
export interface WebhookUpdate extends Schema.Schema.Type<typeof WebhookUpdate> {}

/** How to give an endpoint a new secret: how long requests are signed with the old one too. Default: 24 h. */
export const WebhookRotation = Schema.Struct({
  graceSeconds: Schema.optionalKey(integer(0, limits.rotationGrace))
}).annotate({ identifier: "WebhookRotation" })
export interface WebhookRotation extends Schema.Schema.Type<typeof WebhookRotation> {}

const defaultConcurrency = 10

/** A new endpoint, before it has an id. */
export const newWebhook = (input: NewWebhook, createdAt: string): Omit<Webhook, "id"> => ({
  url: input.url,
  ...(input.types === undefined ? {} : { types: input.types }),
  ...(input.description === undefined ? {} : { description: input.description }),
  ordered: input.ordered ?? false,
  concurrency: input.concurrency ?? defaultConcurrency,
  enabled: true,
  createdAt
})

/** The fields of an endpoint in the order of its schema, in which every store and every call returns them. */
const inOrder = (webhook: Webhook): Webhook => {
  const { concurrency, createdAt, description, disabledAt, disabledReason, enabled, id, ordered, types, url } = webhook
  return {
    id,
    url,
    ...(types === undefined ? {} : { types }),
    ...(description === undefined ? {} : { description }),
    ordered,
    concurrency,
    enabled,
    ...(disabledReason === undefined ? {} : { disabledReason }),
    ...(disabledAt === undefined ? {} : { disabledAt }),
    createdAt
  }
}

/** An endpoint that receives no further events. */
export const disabled = (webhook: Webhook, disabledReason: WebhookDisabledReason, disabledAt: string): Webhook =>
  inOrder({ ...webhook, enabled: false, disabledReason, disabledAt })

const enabledAgain = ({ disabledAt: _, disabledReason: __, ...webhook }: Webhook): Webhook => ({
  ...webhook,
  enabled: true
})

/** The endpoint after a change. */
export const amendWebhook = (webhook: Webhook, update: WebhookUpdate, now: string): Webhook => {
  const { description: before, types: typesBefore, ...rest } = webhook
  const description = update.description === undefined ? before : (update.description ?? undefined)
  const types = update.types === undefined ? typesBefore : (update.types ?? undefined)
  const changed = inOrder({
    ...rest,
    url: update.url ?? webhook.url,
    concurrency: update.concurrency ?? webhook.concurrency,
    ...(types === undefined ? {} : { types }),
    ...(description === undefined ? {} : { description })
  })
  if (update.enabled === undefined || update.enabled === webhook.enabled) return changed
  return update.enabled ? enabledAgain(changed) : disabled(changed, "requested", now)
}

const sameTypes = (a: ReadonlyArray<string> | undefined, b: ReadonlyArray<string> | undefined): boolean =>
  a === b ||
  (a !== undefined && b !== undefined && a.length === b.length && a.every((type, index) => type === b[index]))

/** Whether two states of an endpoint look the same to callers, but for the URL. */
export const sameWebhookState = (a: WebhookState, b: WebhookState): boolean =>
  sameTypes(a.types, b.types) &&
  a.description === b.description &&
  a.ordered === b.ordered &&
  a.concurrency === b.concurrency &&
  a.enabled === b.enabled &&
  a.disabledReason === b.disabledReason &&
  a.disabledAt === b.disabledAt &&
  a.createdAt === b.createdAt

/** Whether two endpoints look the same to callers. */
export const sameWebhook = (a: Webhook, b: Webhook): boolean => a.url === b.url && sameWebhookState(a, b)

/** What the events of an endpoint carry. */
export const webhookState = ({ url: _, ...state }: Webhook): WebhookState => state

const isState = Schema.is(
  Schema.Struct({ ...WebhookState.fields, types: Schema.optionalKey(Schema.NonEmptyArray(EventType)) })
)

/** Whether the state of an endpoint has its fields, each with a value that it can have. */
export const isWebhookState = (state: unknown): boolean => isState(state)

/** Which events an endpoint receives, by the events up to a `seq`: deliveries were made for those. */
export interface WebhookRoute {
  readonly after: number
  readonly enabled: boolean
  readonly types?: ReadonlyArray<string>
}

/** The route of a new endpoint: the event of its creation, which follows, enables it. */
export const newRoute = (after: number): WebhookRoute => ({ after, enabled: false })

/**
 * Whether an endpoint receives an event, by its route before the event. Events about itself are never among them, and those that only `admin`
 * may read only if its types name them.
 */
export const getsEvent = ({ enabled, types }: WebhookRoute, webhookId: number, event: Event): boolean =>
  enabled &&
  (types?.includes(event.type) ?? eventScopeOf(event.type) !== "admin") &&
  event.subject !== `webhooks/${webhookId}`

/**
 * Whether an endpoint delivers the messages whose events it receives: its types name them. An endpoint that receives events of all types may
 * be there to observe, and must not keep messages from what they are meant for.
 */
export const deliversMessages = ({ types }: Pick<Webhook, "types">): boolean =>
  types?.includes("message.queued") === true

/** The route of an endpoint after an event. */
export const routeAfter = (route: WebhookRoute, webhookId: number, event: Event): WebhookRoute => {
  if (event.subject !== `webhooks/${webhookId}`) return { ...route, after: event.seq }
  switch (event.type) {
    case "webhook.created":
    case "webhook.updated":
    case "webhook.disabled": {
      const { enabled, types } = event.data
      return { after: event.seq, enabled, ...(Array.isArray(types) ? { types } : {}) }
    }
    default:
      return { after: event.seq, enabled: false }
  }
}

const secretPrefix = "whsec_"

/** The secret of an endpoint from 32 random bytes, as Standard Webhooks writes it. */
export const webhookSecret = (bytes: Uint8Array): string => secretPrefix + btoa(String.fromCharCode(...bytes))

/** The form of the secret of an endpoint: 24 to 64 bytes. */
export const isWebhookSecret = (text: string): boolean => /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/.test(text)

/** The body of the request that delivers an event. */
export const webhookBody = ({ data, id, seq, subject, timestamp, type }: Event): string =>
  JSON.stringify({ id, type, timestamp, seq, subject, data })

/** The body of the request by which an operator tests an endpoint. It is in no log, so it has no `seq`. */
export const WebhookTest = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("webhook.test"),
  timestamp: Timestamp,
  subject: Schema.String,
  /** The id of the endpoint. */
  data: ResourceId
}).annotate({ identifier: "WebhookTest" })
export interface WebhookTest extends Schema.Schema.Type<typeof WebhookTest> {}

/** What webhooks carry: an event, or a test. Its `type` determines its `data`. */
export const WebhookEvent = Schema.Union([...Event.members, WebhookTest], { mode: "oneOf" }).annotate({
  identifier: "WebhookEvent"
})
export type WebhookEvent = Event | WebhookTest
