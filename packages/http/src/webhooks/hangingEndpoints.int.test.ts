import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { httpReceiver, rawReceiver, textOf, webhookTo } from "../../test/support/receivers.ts"
import { webhookSender } from "./webhookSender.ts"

const hangs = rawReceiver(() => {})

const accepts = httpReceiver((request, response) => {
  request.resume()
  response.writeHead(204).end()
})

// No time passes here: what hangs does so until the test ends.
describe("given 100 endpoints that hang, with 30 attempts each", () => {
  const hanging = 100
  const healthy = hanging + 1

  it.live("when webhooks are sent to another endpoint, one or many at a time, then they wait for none of these", () =>
    Effect.gen(function* () {
      const dead = yield* hangs
      const { port } = yield* accepts
      const { send } = webhookSender({ allowLoopback: true })
      for (let webhookId = 1; webhookId <= hanging; webhookId++) {
        const attempt = send(webhookTo(`http://127.0.0.1:${dead.port}`, { webhookId }))
        for (let count = 0; count < 30; count++) yield* Effect.forkChild(attempt)
      }
      yield* dead.connected(228)
      const attempt = send(webhookTo(`http://127.0.0.1:${port}`, { webhookId: healthy }))
      for (let count = 0; count < 20; count++) assert.isTrue((yield* attempt).delivered)
      const outcomes = yield* Effect.all(new Array<typeof attempt>(100).fill(attempt), { concurrency: "unbounded" })
      assert.isTrue(outcomes.every(({ delivered }) => delivered))
      assert.isAtMost(dead.sockets.size, 256)
    })
  )
})

/** Two attempts to one receiver of which one can be made at a time: the first hangs, and the second waits for it. */
const givenOneThatWaits = Effect.gen(function* () {
  const received: Array<{ readonly headers: Readonly<Record<string, unknown>>; readonly body: string }> = []
  let respond = () => {}
  const { connected, port } = yield* httpReceiver(async (request, response) => {
    received.push({ headers: request.headers, body: await textOf(request) })
    respond = () => response.writeHead(204).end()
  })
  const { send } = webhookSender({ allowLoopback: true, connectionLimit: 1 })
  const now = yield* Clock.currentTimeMillis
  const attempt = send(webhookTo(`http://127.0.0.1:${port}`, { timestamp: Math.floor(now / 1000), timeout: 600_000 }))
  const first = yield* Effect.forkChild(attempt)
  yield* connected()
  const second = yield* Effect.forkChild(attempt)
  yield* Effect.yieldNow
  return { attempt, connected, first, received, respond: () => respond(), second }
})

describe("given an attempt that waits until another one has ended", () => {
  it.effect("when it is sent, then its timeout begins, and it is signed with the time of then", () =>
    Effect.gen(function* () {
      const { connected, first, received, respond, second } = yield* givenOneThatWaits
      yield* TestClock.adjust("10 minutes")
      assert.propertyVal(yield* Fiber.join(first), "reason", "timeout")
      yield* connected(2)
      while (received.length < 2) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("9 minutes")
      respond()
      assert.deepStrictEqual(yield* Fiber.join(second), { delivered: true, status: 204 })
      const times = received.map(({ headers }) => Number(headers["webhook-timestamp"]))
      assert.deepStrictEqual(times, [0, 600])
    })
  )

  it.effect("when it is interrupted, then nothing was sent, and the next one takes its place", () =>
    Effect.gen(function* () {
      const { attempt, connected, first, received, respond, second } = yield* givenOneThatWaits
      yield* Fiber.interrupt(second)
      const third = yield* Effect.forkChild(attempt)
      yield* Fiber.interrupt(first)
      yield* connected(2)
      while (received.length < 2) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      respond()
      assert.isTrue((yield* Fiber.join(third)).delivered)
      assert.strictEqual(received.length, 2)
    })
  )
})
