import type { Petstore, PetstoreOptions, WebhookOutcome, WebhookRequest } from "@petstore/core"
import * as Effect from "effect/Effect"
import type { ContractCase } from "../ContractCase.ts"
import { assertEqual } from "../check.ts"
import { checkInvariants } from "./checkInvariants.ts"
import { collect } from "./inspect.ts"
import type { EmbeddedFixture } from "./PetstoreFixture.ts"
import { type Wait, waitFor } from "./waiting.ts"

const delivered: WebhookOutcome = { delivered: true, status: 204 }
const gone: WebhookOutcome = { delivered: false, reason: "gone", status: 410, message: "The endpoint is gone." }

/** Endpoints whose URLs say how they respond. */
const respond = ({ url }: WebhookRequest): WebhookOutcome => (url.endsWith("/gone") ? gone : delivered)

const endpoint = (petstore: Petstore, path: string) =>
  petstore.webhooks.create({ url: `https://example.com/${path}`, types: ["message.queued"] })

const ends = (petstore: Petstore, wait: Wait, id: string) =>
  wait(async () => (await petstore.messages.get(id)).status !== "queued")

const typesOf = async (petstore: Petstore, subject: string) =>
  (await collect(petstore.events.all({ subject }))).map(({ type }) => type)

interface Body {
  readonly options?: Omit<PetstoreOptions, "storage" | "webhooks">
  readonly body: (petstore: Petstore, wait: Wait) => Promise<void>
}

const bodies: Readonly<Record<string, Body>> = {
  "a webhook of message.queued delivers messages": {
    body: async (petstore, wait) => {
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
      assertEqual(await typesOf(petstore, `messages/${id}`), ["message.queued", "message.delivered"])
    }
  },
  "a message fails with the last webhook, and is delivered when it is queued again": {
    body: async (petstore, wait) => {
      const { id: webhookId } = await endpoint(petstore, "gone")
      const { id } = await petstore.messages.enqueue("Hello")
      await ends(petstore, wait, id)
      const { lastError, status } = await petstore.messages.get(id)
      assertEqual([status, lastError], ["failed", `Webhook ${webhookId}: The endpoint is gone.`])
      await endpoint(petstore, "hook")
      await petstore.messages.requeue(id)
      await ends(petstore, wait, id)
      assertEqual(await typesOf(petstore, `messages/${id}`), [
        ...["message.queued", "message.failed", "message.queued", "message.delivered"]
      ])
    }
  },
  "one of two webhooks that fail at the same time is the last": {
    body: async (petstore, wait) => {
      for (let n = 0; n < 2; n++) await endpoint(petstore, "gone")
      const { id } = await petstore.messages.enqueue("Hello")
      await ends(petstore, wait, id)
      assertEqual(await typesOf(petstore, `messages/${id}`), ["message.queued", "message.failed"])
    }
  },
  "a webhook delivers what a handler fails to": {
    options: {
      onMessage: () => {
        throw new Error("Not now")
      }
    },
    body: async (petstore, wait) => {
      await endpoint(petstore, "hook")
      const { id } = await petstore.messages.enqueue("Hello")
      await ends(petstore, wait, id)
      assertEqual(await typesOf(petstore, `messages/${id}`), ["message.queued", "message.delivered"])
    }
  }
}

/** What webhooks of `message.queued` promise. */
export const deliveredMessageCases = (fixture: EmbeddedFixture): ReadonlyArray<ContractCase> =>
  Object.entries(bodies).map(([name, { body, options }]) => {
    const group = "messages delivered by webhooks"
    const { openWith } = fixture
    if (openWith === undefined) {
      return { group, name, run: Effect.void, skip: "the fixture opens no petstore with options" }
    }
    const send = (request: WebhookRequest) => Effect.sync(() => respond(request))
    const run = Effect.gen(function* () {
      const petstore = yield* openWith({ ...options, webhooks: { send, urlProblem: () => undefined } })
      const wait = yield* waitFor(fixture, petstore)
      yield* Effect.tryPromise({ try: () => body(petstore, wait), catch: (error) => error })
      yield* checkInvariants(petstore)
    })
    return { group, name, run: Effect.scoped(run) }
  })
