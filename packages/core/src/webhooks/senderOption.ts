import { optionOf } from "../domain/options.ts"
import type { WebhookSender } from "../ports/WebhookSender.ts"

/** An option that takes a sender of webhooks. */
export const senderOption = optionOf<WebhookSender["Service"]>(
  "a sender of webhooks, such as webhookSender() of @petstore/http",
  (value) =>
    typeof value === "object" &&
    value !== null &&
    "send" in value &&
    typeof value.send === "function" &&
    "urlProblem" in value &&
    typeof value.urlProblem === "function"
)
