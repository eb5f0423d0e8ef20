import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { serve } from "@hono/node-server"
import type { WebhookOutcome } from "@petstore/core/ports"
import { signWebhook } from "@petstore/core/verify-webhook"
import { webhookSender } from "@petstore/http/webhooks"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { expressReceiver } from "./express.ts"
import { fastifyReceiver } from "./fastify.ts"
import { fetchReceiver } from "./fetch.ts"

const [oldSecret, secret] = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`)
if (oldSecret === undefined || secret === undefined) throw new Error("There are two")

/** A receiver that listens: its URL, and what its shop did. */
interface Listening {
  readonly url: string
  readonly log: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

const listening = async (listener: RequestListener, log: ReadonlyArray<string>): Promise<Listening> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}/webhooks`, log, close }
}

const receivers: Readonly<Record<string, () => Promise<Listening>>> = {
  Express: async () => {
    const { app, log } = expressReceiver([secret, oldSecret])
    return listening(app, log)
  },
  Fastify: async () => {
    const { app, log } = fastifyReceiver([secret, oldSecret])
    const url = `${await app.listen({ port: 0, host: "127.0.0.1" })}/webhooks`
    return { url, log, close: () => app.close() }
  },
  fetch: async () => {
    const { fetch, log } = fetchReceiver([secret, oldSecret])
    return new Promise((resolve) => {
      const server = serve({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
        resolve({
          url: `http://127.0.0.1:${port}/webhooks`,
          log,
          close: () => new Promise((closed) => server.close(() => closed()))
        })
      )
    })
  }
}

const completed = {
  id: "evt_1",
  type: "order.completed",
  timestamp: "2026-11-22T12:00:00.000Z",
  seq: 9,
  subject: "orders/4",
  data: { id: 4, petId: 7, quantity: 1, complete: true, state: "complete", version: 2 }
}

const now = () => Math.floor(Date.now() / 1000)

const sender = webhookSender({ allowLoopback: true })

for (const [name, open] of Object.entries(receivers)) {
  describe(`given a receiver with ${name}`, () => {
    let receiver: Listening

    beforeAll(async () => {
      receiver = await open()
    })
    afterAll(() => receiver.close())

    /** Sends an event as a petstore does. */
    const send = (event: { readonly id: string }, secrets = [secret]): Promise<WebhookOutcome> =>
      Effect.runPromise(
        sender.send({
          webhookId: 1,
          url: receiver.url,
          id: event.id,
          timestamp: now(),
          secrets: secrets.map((text) => Redacted.make(text)),
          body: JSON.stringify(event),
          timeout: 10_000
        })
      )

    /** Sends a request by hand, and returns the status and text of the response. */
    const post = async (headers: Readonly<Record<string, string>>, body: string) => {
      const response = await fetch(receiver.url, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body
      })
      return { status: response.status, text: await response.text() }
    }

    it("when an event arrives, and arrives again, then it is accepted each time and handled once", async () => {
      for (let count = 0; count < 3; count++) {
        assert.deepStrictEqual(await send(completed), { delivered: true, status: 204 })
      }
      assert.deepStrictEqual(receiver.log, ["ship order 4"])
    })

    it("when an event is signed with the old secret, with both or with the new one, then it is accepted", async () => {
      for (const secrets of [[oldSecret], [secret, oldSecret], [secret]]) {
        assert.isTrue((await send({ ...completed, id: "evt_rotation" }, secrets)).delivered)
      }
    })

    it("when an event has a type that the shop does not know, or is a test, then it is accepted and changes nothing", async () => {
      const before = [...receiver.log]
      for (const type of ["pet.adopted", "webhook.test"]) {
        assert.isTrue(
          (await send({ ...completed, id: `evt_${type.replace(".", "_")}`, type } as typeof completed)).delivered
        )
      }
      assert.deepStrictEqual(receiver.log, before)
    })

    it("when a request was changed, is old, or is not signed, then it is refused with 400, and nothing is handled", async () => {
      const before = [...receiver.log]
      const body = JSON.stringify({ ...completed, id: "evt_2" })
      const headers = await signWebhook(secret, { id: "evt_2", timestamp: now(), body })
      const old = await signWebhook(secret, { id: "evt_2", timestamp: now() - 301, body })
      for (const [given, sent, reason] of [
        [headers, body.replace('"id":4', '"id":5'), /No signature fits/],
        [{ ...headers, "webhook-id": "evt_3" }, body, /No signature fits/],
        [{ ...headers, "webhook-timestamp": String(now() + 1) }, body, /No signature fits/],
        [
          await signWebhook(`whsec_${Buffer.alloc(32, 3).toString("base64")}`, { id: "evt_2", timestamp: now(), body }),
          body,
          /No signature/
        ],
        [old, body, /signed 30\d s ago/],
        [{}, body, /webhook-id is missing/],
        [{ ...headers, "webhook-signature": "v1,x" }, body, /No signature fits/]
      ] as const) {
        const { status, text } = await post(given, sent)
        assert.strictEqual(status, 400)
        assert.match(text, reason)
      }
      assert.deepStrictEqual(receiver.log, before)
      assert.deepStrictEqual(await post(headers, body), { status: 204, text: "" })
      assert.deepStrictEqual(receiver.log, [...before, "ship order 4"])
    })
  })
}
