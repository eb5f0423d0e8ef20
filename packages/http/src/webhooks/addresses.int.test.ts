import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { httpReceiver, rawReceiver, sendTo, webhookTo } from "../../test/support/receivers.ts"
import type { ResolveName } from "./WebhookSenderOptions.ts"
import { webhookSender } from "./webhookSender.ts"

const global = ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"] as const

/** Addresses that no webhook may reach, in forms that resolvers return and in others. */
const forbidden = [
  "127.0.0.1",
  "127.255.255.254",
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "169.254.169.254",
  "168.63.129.16",
  "172.16.0.1",
  "192.168.0.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::7f00:1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:10.0.0.1",
  "0:0:0:0:0:ffff:a9fe:a9fe",
  "64:ff9b::7f00:1",
  "64:ff9b::10.0.0.1",
  "64:ff9b:1::1",
  "2002:7f00:1::",
  "2001:0:7f00:1::1",
  "fe80::1",
  "fe80::1%lo",
  "fc00::1",
  "fd00:ec2::254",
  "ff02::1",
  "2001:db8::1",
  "localhost",
  "127.1",
  "0x7f000001",
  "2130706433",
  "[::1]",
  "127.0.0.1:80",
  "example.com",
  "/run/docker.sock",
  ""
]

const resolvingTo =
  (...addresses: ReadonlyArray<string>): ResolveName =>
  async () =>
    addresses

describe("given a name that resolves to an address that is not of the internet", () => {
  for (const address of forbidden) {
    it.effect(`when that is ${JSON.stringify(address)}, alone or beside others, then nothing is connected to`, () =>
      Effect.gen(function* () {
        for (const addresses of [[address], [...global, address], [address, ...global], [global[0], address]]) {
          const outcome = yield* sendTo("https://shop.test/", { resolveName: resolvingTo(...addresses) })
          assert.deepInclude(outcome, { delivered: false, reason: "address" })
          const message = outcome.delivered ? "" : outcome.message
          assert.match(message, /Nothing was sent/)
          // Whoever may see deliveries must not learn the addresses of a private network.
          if (address !== "") assert.notInclude(message, address)
        }
      })
    )
  }

  it.effect("when a receiver listens there, then it gets no connection", () =>
    Effect.gen(function* () {
      const receivers = [yield* rawReceiver(() => {}), yield* rawReceiver(() => {}, "::1")]
      for (const { connections, port } of receivers) {
        for (const host of ["shop.test", "localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0", "[::]"]) {
          for (const protocol of ["https", "http"]) {
            const outcome = yield* sendTo(`${protocol}://${host}:${port}/`, {
              resolveName: resolvingTo("127.0.0.1", "::1")
            })
            assert.deepInclude(outcome, { delivered: false, reason: "address" })
          }
        }
        assert.strictEqual(connections(), 0)
      }
    })
  )
})

describe("given options that allow this machine", () => {
  it.effect("when a name also resolves to a private address, then nothing is connected to", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* rawReceiver(() => {})
      for (const addresses of [
        ["127.0.0.1", "10.0.0.1"],
        ["127.0.0.1", "fd00::1"],
        ["169.254.169.254", "127.0.0.1"]
      ]) {
        const outcome = yield* sendTo(`http://shop.test:${port}/`, {
          allowLoopback: true,
          resolveName: resolvingTo(...addresses)
        })
        assert.deepInclude(outcome, { delivered: false, reason: "address" })
      }
      assert.strictEqual(connections(), 0)
    })
  )

  it.effect("when a name resolves to an address of the internet, then http to it is refused", () =>
    Effect.gen(function* () {
      const options = { allowLoopback: true, resolveName: resolvingTo(global[0]) }
      assert.deepInclude(yield* sendTo("http://shop.test/", options), { delivered: false, reason: "address" })
      assert.deepInclude(yield* sendTo(`http://${global[0]}/`, options), { delivered: false, reason: "address" })
    })
  )
})

describe("given options that allow one address", () => {
  it.effect("when a webhook goes there, then it is delivered, and its neighbour is refused", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* httpReceiver((_request, response) => response.end(), "127.0.0.2")
      const { send } = webhookSender({ allowAddresses: ["127.0.0.2"], resolveName: resolvingTo("127.0.0.2") })
      assert.isTrue((yield* send(webhookTo(`http://127.0.0.2:${port}/`))).delivered)
      assert.isTrue((yield* send(webhookTo(`http://shop.test:${port}/`))).delivered)
      for (const host of ["127.0.0.1", "127.0.0.3", "[::1]", "localhost"]) {
        assert.deepInclude(yield* send(webhookTo(`http://${host}:${port}/`)), { reason: "address" })
      }
      assert.strictEqual(connections(), 2)
    })
  )

  it.effect("when only one address of localhost is allowed, then that one is connected to", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* httpReceiver((_request, response) => response.end(), "127.0.0.1")
      const { send } = webhookSender({ allowAddresses: ["127.0.0.0/8"] })
      assert.isTrue((yield* send(webhookTo(`http://localhost:${port}/`))).delivered)
      assert.strictEqual(connections(), 1)
      const other = webhookSender({ allowAddresses: ["127.0.0.0/8"], resolveName: resolvingTo("10.0.0.1") })
      assert.deepInclude(yield* other.send(webhookTo(`http://localhost:${port}/`)), { reason: "address" })
    })
  )
})

describe("given a name whose addresses change", () => {
  it.effect(
    "when the second answer differs from the one that was checked, then the checked address is connected to",
    () =>
      Effect.gen(function* () {
        const listener = Effect.map(
          httpReceiver((_request, response) => response.end(), "127.0.0.2"),
          (receiver) => receiver
        )
        const checked = yield* listener
        const answers = [["127.0.0.2"], ["127.0.0.1"], ["127.0.0.1"]]
        let asked = 0
        const outcome = yield* sendTo(`http://shop.test:${checked.port}/`, {
          allowAddresses: ["127.0.0.2"],
          resolveName: async () => answers[asked++] ?? []
        })
        assert.deepStrictEqual(outcome, { delivered: true, status: 200 })
        assert.deepStrictEqual([asked, checked.connections()], [1, 1])
      })
  )

  it.effect("when the answer for the next connection is private, then that one is refused", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* httpReceiver(
        (_request, response) => response.setHeader("Connection", "close").end(),
        "127.0.0.2"
      )
      const answers = [["127.0.0.2"], ["127.0.0.1"], ["127.0.0.2", "10.0.0.1"], ["127.0.0.2"]]
      const { send } = webhookSender({
        allowAddresses: ["127.0.0.2"],
        resolveName: async () => answers.shift() ?? assert.fail()
      })
      const outcomes = []
      for (let count = 0; count < 4; count++) outcomes.push(yield* send(webhookTo(`http://shop.test:${port}/`)))
      assert.deepStrictEqual(
        outcomes.map((outcome) => (outcome.delivered ? outcome.status : outcome.reason)),
        [200, "address", "address", 200]
      )
      assert.strictEqual(connections(), 2)
    })
  )

  it.effect("when the first of several addresses does not accept, then the next checked one is connected to", () =>
    Effect.gen(function* () {
      const { port } = yield* httpReceiver((_request, response) => response.end(), "127.0.0.2")
      const outcome = yield* sendTo(`http://shop.test:${port}/`, {
        allowLoopback: true,
        resolveName: resolvingTo("127.0.0.9", "::1", "127.0.0.2")
      })
      assert.deepStrictEqual(outcome, { delivered: true, status: 200 })
    })
  )
})

describe("given a name that does not resolve", () => {
  const error = (code: string) => Object.assign(new Error(`queryA ${code} internal.corp`), { code })

  for (const [what, resolveName, expected] of [
    ["does not exist", () => Promise.reject(error("ENOTFOUND")), /does not exist/],
    ["has no address", () => Promise.reject(error("ENODATA")), /has no address/],
    ["has an empty list of addresses", async () => [], /no address/],
    ["has servers that fail", () => Promise.reject(error("ESERVFAIL")), /ESERVFAIL/],
    [
      "makes the resolver throw",
      () => {
        throw new TypeError("internal.corp")
      },
      /no code/
    ],
    ["makes the resolver return no list", (async () => undefined) as unknown as ResolveName, /no code/]
  ] as const satisfies ReadonlyArray<readonly [string, ResolveName, RegExp]>) {
    it.effect(`when it ${what}, then the attempt failed, and the message has no text of the resolver`, () =>
      Effect.gen(function* () {
        const outcome = yield* sendTo("https://shop.test/", { resolveName })
        assert.deepInclude(outcome, { delivered: false, reason: "connection" })
        assert.match(outcome.delivered ? "" : outcome.message, expected)
        assert.notInclude(JSON.stringify(outcome), "internal.corp")
      })
    )
  }

  it.effect("when its servers never respond, then the attempt times out, and the look-up is told", () =>
    Effect.gen(function* () {
      const asked = Promise.withResolvers<AbortSignal>()
      const fiber = yield* Effect.forkChild(
        sendTo("https://shop.test/", {
          resolveName: (_name, signal) => {
            asked.resolve(signal)
            return new Promise(() => {})
          }
        })
      )
      const signal = yield* Effect.promise(() => asked.promise)
      yield* TestClock.adjust(15_000)
      assert.deepInclude(yield* Fiber.join(fiber), { delivered: false, reason: "timeout" })
      if (!signal.aborted) {
        yield* Effect.promise(() => new Promise((resolve) => signal.addEventListener("abort", resolve)))
      }
    })
  )
})
