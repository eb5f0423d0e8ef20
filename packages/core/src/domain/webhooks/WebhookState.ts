import * as Schema from "effect/Schema"
import { EventType } from "../events/EventType.ts"
import { Id, integer } from "../Id.ts"
import { limits } from "../limits.ts"
import { Timestamp } from "../Timestamp.ts"

/** Why an endpoint receives no events: its owner disabled it, it responded 410, or it failed for days. */
export const WebhookDisabledReason = Schema.Literals(["requested", "gone", "failing"]).annotate({
  identifier: "WebhookDisabledReason"
})
export type WebhookDisabledReason = typeof WebhookDisabledReason.Type

/** Maximum number of concurrent requests to the endpoint. */
export const WebhookConcurrency = integer(1, limits.webhookConcurrency)

/** The part of an endpoint that its events carry. The URL is not in it, since it may contain a token. */
export const WebhookState = Schema.Struct({
  id: Id,
  types: Schema.optionalKey(Schema.Array(EventType)),
  description: Schema.optionalKey(Schema.String),
  ordered: Schema.Boolean,
  concurrency: WebhookConcurrency,
  enabled: Schema.Boolean,
  disabledReason: Schema.optionalKey(WebhookDisabledReason),
  disabledAt: Schema.optionalKey(Timestamp),
  createdAt: Timestamp
})
export interface WebhookState extends Schema.Schema.Type<typeof WebhookState> {}

/** Why no sender would send to a URL, whatever it allows; undefined if there is no reason. */
export const webhookUrlProblem = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return "The URL cannot be parsed. Send an absolute one, such as https://example.com/hook."
  if (url.protocol !== "https:")
    return `The URL begins with ${url.protocol}//. Use https, or a sender that allows http, such as webhookSender({ allowLoopback: true }) of @petstore/http/webhooks.`
  if (url.username !== "" || url.password !== "")
    return "The URL contains a user name or password. Remove it; verify the signature instead."
  if (url.hash !== "") return "The URL has a fragment (#). Remove it."
  return undefined
}
