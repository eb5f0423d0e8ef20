import type { Petstore, PetstoreOptions, WebhookOutcome, WebhookRequest } from "@petstore/core"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { allWith, type EmbeddedBody, embeddedGroup } from "./embeddedGroup.ts"
import { collect, typesOf } from "./inspect.ts"
import type { Wait } from "./waiting.ts"

const delivered: WebhookOutcome = { delivered: true, status: 204 }
const gone: WebhookOutcome = { delivered: false, reason: "gone", status: 410, message: "The endpoint is gone." }

/** Endpoints whose URLs say how they respond. */
const respond = ({ url }: WebhookRequest): WebhookOutcome => (url.endsWith("/gone") ? gone : delivered)

const endpoint = (petstore: Petstore, path: string) =>
  petstore.webhooks.create({ url: `https://example.com/${path}`, types: ["message.queued"] })

const ends = (petstore: Petstore, wait: Wait, id: string) =>
  wait(async () => (await petstore.messages.get(id)).status !== "queued")

const typesOfAll = async (petstore: Petstore, id: string) =>
  typesOf(await collect(petstore.events.all({ subject: `messages/${id}` })))

const bodies: Readonly<Record<string, EmbeddedBody>> = {
  "a webhook of message.queued delivers messages": async (petstore, { wait }) => {
    const { id: webhookId } = await endpoint(petstore, "hook")
    const { id } = await petstore.messages.enqueue("Hello")
    await ends(petstore, wait, id)
    const { attempts, status } = await petstore.messages.get(id)
    assertEqual([status, attempts], ["delivered", undefined])
    assertEqual(
      (await collect(petstore.webhooks.allDeliveries(webhookId))).map((delivery) => [
        delivery.status,
        delivery.attempts
      ]),
      [["delivered", 1]]
    )
    assertEqual(await typesOfAll(petstore, id), ["message.queued", "message.delivered"])
  },
  "a message fails with the last webhook, and is delivered when it is queued again": async (petstore, { wait }) => {
    const { id: webhookId } = await endpoint(petstore, "gone")
    const { id } = await petstore.messages.enqueue("Hello")
    await ends(petstore, wait, id)
    const { lastError, status } = await petstore.messages.get(id)
    assertEqual([status, lastError], ["failed", `Webhook ${webhookId}: The endpoint is gone.`])
    await endpoint(petstore, "hook")
    await petstore.messages.requeue(id)
    await ends(petstore, wait, id)
    assertEqual(await typesOfAll(petstore, id), [
      ...["message.queued", "message.failed", "message.queued", "message.delivered"]
    ])
  },
  "one of two webhooks that fail at the same time is the last": async (petstore, { wait }) => {
    for (let n = 0; n < 2; n++) await endpoint(petstore, "gone")
    const { id } = await petstore.messages.enqueue("Hello")
    await ends(petstore, wait, id)
    assertEqual(await typesOfAll(petstore, id), ["message.queued", "message.failed"])
  }
}

const options: PetstoreOptions = {
  webhooks: { send: (request) => Effect.sync(() => respond(request)), urlProblem: () => undefined }
}

const onMessage = () => {
  throw new Error("Not now")
}

/** What webhooks of `message.queued` promise. */
export const deliveredMessageCases = embeddedGroup("messages delivered by webhooks", {
  ...allWith({ options }, bodies),
  "a webhook delivers what a handler fails to": {
    options: { ...options, onMessage },
    body: async (petstore, { wait }) => {
      await endpoint(petstore, "hook")
      const { id } = await petstore.messages.enqueue("Hello")
      await ends(petstore, wait, id)
      assertEqual(await typesOfAll(petstore, id), ["message.queued", "message.delivered"])
    }
  }
})
