import { assert, describe, it } from "@effect/vitest"
import type { WebhookOutcome } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import {
  type Certificate,
  certificateAuthority,
  serverCertificate
} from "../../../adapters/test/support/postgres/certificate.ts"
import { httpReceiver, httpsReceiver, rawReceiver, sendTo, webhookTo } from "../../test/support/receivers.ts"
import type { WebhookSenderOptions } from "./WebhookSenderOptions.ts"
import { webhookSender } from "./webhookSender.ts"

const authority = certificateAuthority()
const certificate = serverCertificate(authority, "shop.test")

const options: WebhookSenderOptions = {
  allowLoopback: true,
  certificateAuthorities: [authority.certificate],
  resolveName: async () => ["127.0.0.1"]
}

const messageOf = (outcome: WebhookOutcome): string =>
  outcome.delivered || outcome.reason !== "connection" ? assert.fail(JSON.stringify(outcome)) : outcome.message

const hour = 3_600_000

/** The outcome of a webhook to `https://<host>`, the number of requests that arrived, and the name asked for by SNI. */
const exchangeWith = (given: Certificate, host = "shop.test", changes: Partial<WebhookSenderOptions> = {}) =>
  Effect.gen(function* () {
    const requests: Array<{ readonly host: string | undefined; readonly name: unknown }> = []
    const { port } = yield* httpsReceiver(given, (request, response) => {
      const { servername } = request.socket as { readonly servername?: unknown }
      requests.push({ host: request.headers.host, name: servername })
      response.end()
    })
    const outcome = yield* sendTo(`https://${host}:${port}/`, { ...options, ...changes })
    return { outcome, requests, port }
  })

describe("given a receiver with a certificate", () => {
  for (const host of ["shop.test", "SHOP.test", "shop.test."]) {
    it.effect(
      `when it is for its host and the URL has ${host}, then the webhook is delivered, with the name by SNI`,
      () =>
        Effect.gen(function* () {
          const { outcome, port, requests } = yield* exchangeWith(certificate, host)
          assert.deepStrictEqual(outcome, { delivered: true, status: 200 })
          assert.deepStrictEqual(requests, [{ host: `shop.test:${port}`, name: "shop.test" }])
        })
    )
  }

  it.effect("when it is for its address, then the webhook is delivered, without SNI", () =>
    Effect.gen(function* () {
      const { outcome, port, requests } = yield* exchangeWith(serverCertificate(authority, "127.0.0.1"), "127.0.0.1")
      assert.deepStrictEqual(outcome, { delivered: true, status: 200 })
      assert.deepStrictEqual(requests, [{ host: `127.0.0.1:${port}`, name: false }])
    })
  )

  for (const [what, given, host, expected] of [
    ["is for another host", serverCertificate(authority, "other.test"), "shop.test", /is for another host/],
    ["is for a part of the name", serverCertificate(authority, "test"), "shop.test", /is for another host/],
    ["is for a longer name", serverCertificate(authority, "www.shop.test"), "shop.test", /is for another host/],
    ["is for the address, not the name", serverCertificate(authority, "127.0.0.1"), "shop.test", /is for another host/],
    ["is for the name, not the address", certificate, "127.0.0.1", /is for another host/],
    ["has expired", serverCertificate(authority, "shop.test", Date.now() - hour), "shop.test", /has expired/],
    [
      "is from an unknown authority",
      serverCertificate(certificateAuthority(), "shop.test"),
      "shop.test",
      /not from an authority/
    ],
    ["is one that it signed itself", certificateAuthority(), "shop.test", /not from an authority/]
  ] as const) {
    it.effect(`when it ${what}, then no request is sent`, () =>
      Effect.gen(function* () {
        const { outcome, requests } = yield* exchangeWith(given, host)
        assert.match(messageOf(outcome), expected)
        assert.deepStrictEqual(requests, [])
      })
    )
  }

  it.effect("when its authority is not among those of the options, then no request is sent", () =>
    Effect.gen(function* () {
      const { port } = yield* httpsReceiver(certificate, (_request, response) => response.end())
      const outcome = yield* sendTo(`https://shop.test:${port}/`, {
        allowLoopback: true,
        resolveName: async () => ["127.0.0.1"]
      })
      assert.match(messageOf(outcome), /not from an authority/)
    })
  )

  it.effect(
    "when several webhooks are sent, then they share a connection, also with a name that is written differently",
    () =>
      Effect.gen(function* () {
        const { connections, port } = yield* httpsReceiver(certificate, (_request, response) => response.end())
        const { send } = webhookSender(options)
        for (const host of ["shop.test", "shop.test", "SHOP.TEST", "shop.test."]) {
          assert.isTrue((yield* send(webhookTo(`https://${host}:${port}/`))).delivered)
        }
        assert.strictEqual(connections(), 1)
      })
  )

  it.effect("when a name without a fitting certificate follows one with, on the same address, then it is refused", () =>
    Effect.gen(function* () {
      const { port } = yield* httpsReceiver(certificate, (_request, response) => response.end())
      const { send } = webhookSender(options)
      assert.isTrue((yield* send(webhookTo(`https://shop.test:${port}/`))).delivered)
      assert.match(messageOf(yield* send(webhookTo(`https://other.test:${port}/`))), /another host/)
    })
  )
})

describe("given a receiver without TLS", () => {
  it.effect("when the URL is of https, then no request is sent", () =>
    Effect.gen(function* () {
      let requests = 0
      const { port } = yield* httpReceiver((_request, response) => {
        requests++
        response.end()
      })
      messageOf(yield* sendTo(`https://shop.test:${port}/`, options))
      assert.strictEqual(requests, 0)
    })
  )

  it.effect("when it never answers the handshake, then the attempt times out", () =>
    Effect.gen(function* () {
      const { connected, port } = yield* rawReceiver((socket) => socket.resume())
      const fiber = yield* Effect.forkChild(sendTo(`https://shop.test:${port}/`, options))
      yield* connected()
      yield* TestClock.adjust(15_000)
      assert.propertyVal(yield* Fiber.join(fiber), "reason", "timeout")
    })
  )
})

describe("given a receiver with TLS", () => {
  it.effect("when the URL is of http, then the attempt fails", () =>
    Effect.gen(function* () {
      let requests = 0
      const { port } = yield* httpsReceiver(certificate, () => requests++)
      const outcome = yield* sendTo(`http://shop.test:${port}/`, options)
      assert.isFalse(outcome.delivered)
      assert.strictEqual(requests, 0)
    })
  )
})
