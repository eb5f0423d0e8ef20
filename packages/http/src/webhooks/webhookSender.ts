import { WebhookSender } from "@petstore/core/ports"
import * as Layer from "effect/Layer"
import { makeSender } from "./makeSender.ts"
import { checkWebhookSenderOptions, type WebhookSenderOptions } from "./WebhookSenderOptions.ts"

/**
 * Sends webhooks from Node.js, safely: by https, and only to addresses of the public internet unless the options list others.
 * Each name is resolved once per connection, all its addresses are checked, and one of them is connected to. Redirects are
 * failures, responses are bounded in time and size and discarded, and no proxy is used. Throws a TypeError for invalid options.
 */
export const webhookSender = (options: WebhookSenderOptions = {}): Layer.Layer<WebhookSender> => {
  checkWebhookSenderOptions(options)
  return Layer.effect(WebhookSender, makeSender(options))
}
