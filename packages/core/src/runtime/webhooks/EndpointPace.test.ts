import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  adapterOf,
  delivered,
  failed,
  givenSender,
  open,
  pass,
  settle,
  url,
  verified
} from "../../../test/webhooks/sending.ts"
import type { WebhookOutcome } from "../../ports/WebhookSender.ts"
import { EndpointPace } from "./EndpointPace.ts"

const concurrency = 8

const timeout: WebhookOutcome = { delivered: false, reason: "timeout", message: "There was no response." }

/** A sender whose receivers hang until they are mended: attempts end after 20 seconds. It notes how many run at a time. */
const givenHanging = () => {
  const state = { isHanging: true, running: 0, most: 0 }
  const { sender, sent } = givenSender(() =>
    Effect.suspend(() => {
      state.most = Math.max(state.most, ++state.running)
      const isHanging = state.isHanging
      return Effect.sleep(isHanging ? 20_000 : 10).pipe(
        Effect.andThen(Effect.sync(() => state.running--)),
        Effect.as(isHanging ? timeout : delivered)
      )
    })
  )
  return { sender, sent, state }
}

type Opened = Effect.Success<ReturnType<typeof open>>

const create = (petstore: Opened, count: number, prefix = "Category") =>
  Effect.gen(function* () {
    for (let number = 1; number <= count; number++) yield* petstore.categories.create({ name: `${prefix} ${number}` })
  })

describe("given an endpoint that asks several attempts to wait", () => {
  for (const seconds of [
    [60, 1],
    [1, 60]
  ]) {
    it(`when it asks for ${seconds.join(" and ")} seconds, then the longest counts`, () => {
      const pace = new EndpointPace()
      for (const retryAfter of seconds) pace.note({ ...failed, retryAfter }, concurrency, 0)
      assert.strictEqual(pace.pauseAt(0), 60_000)
    })
  }
})

describe("given an endpoint that does not respond", () => {
  it.effect("when its attempts time out, then it gets one at a time, and all of them again once it responds", () =>
    Effect.gen(function* () {
      const { sender, sent, state } = givenHanging()
      const petstore = yield* open(sender)
      yield* petstore.webhooks.create({ url, types: ["category.created"], concurrency })
      yield* create(petstore, 100)
      yield* settle
      assert.strictEqual(state.running, concurrency)
      yield* pass("20 seconds")
      state.most = 0
      yield* pass("60 seconds")
      assert.strictEqual(state.most, 1)
      assert.isAtLeast(sent.length, concurrency + 3, "it is tried again and again")
      state.isHanging = false
      yield* pass("20 seconds")
      assert.strictEqual(state.most, concurrency)
      yield* pass("6 minutes")
      const { items } = yield* petstore.webhooks.deliveries(1, { status: "delivered", limit: 100 })
      assert.strictEqual(items.length, 100)
      yield* verified(petstore)
    })
  )

  it.effect("when two petstores send to it, then together they make one attempt at a time", () =>
    Effect.gen(function* () {
      const { sender, state } = givenHanging()
      const adapter = adapterOf()
      const petstores = [yield* open(sender, adapter), yield* open(sender, adapter)] as const
      yield* petstores[0].webhooks.create({ url, types: ["category.created"], concurrency })
      yield* pass("1 second")
      yield* create(petstores[0], 40, "A")
      yield* create(petstores[1], 40, "B")
      yield* settle
      assert.strictEqual(state.running, concurrency)
      yield* pass("2 minutes")
      state.most = 0
      yield* pass("2 minutes")
      assert.strictEqual(state.most, 1)
      yield* verified(petstores[0])
    })
  )

  it.effect("when its owner changes it, then it gets all its attempts at once", () =>
    Effect.gen(function* () {
      const { sender, state } = givenHanging()
      const petstore = yield* open(sender)
      yield* petstore.webhooks.create({ url, types: ["category.created"], concurrency })
      yield* create(petstore, 40)
      yield* pass("20 seconds")
      assert.strictEqual(state.running, 1)
      yield* petstore.webhooks.update(1, { url: "https://example.com/other" })
      yield* settle
      assert.strictEqual(state.running, concurrency)
    })
  )
})

describe("given an endpoint that responds with Retry-After", () => {
  const given = (retryAfter: number) =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender((_, count) =>
        Effect.as(
          Effect.sleep(1_000),
          count === 1 ? ({ ...failed, status: 429, retryAfter } satisfies WebhookOutcome) : delivered
        )
      )
      const petstore = yield* open(sender)
      yield* petstore.webhooks.create({ url, types: ["category.created"], concurrency })
      yield* create(petstore, 1, "First")
      yield* pass("1 second")
      yield* create(petstore, 20)
      return { petstore, sent }
    })

  it.effect("when others are due, then they wait as long as it asks, and begin with one", () =>
    Effect.gen(function* () {
      const { petstore, sent } = yield* given(120)
      yield* pass("118 seconds")
      assert.strictEqual(sent.length, 1)
      yield* pass("2 seconds")
      assert.strictEqual(sent.length, 2)
      yield* pass("30 seconds")
      assert.strictEqual(sent.length, 22)
      yield* verified(petstore)
    })
  )

  it.effect("when it asks for a day, then others wait for an hour, and its own delivery for the day", () =>
    Effect.gen(function* () {
      const { petstore, sent } = yield* given(86_400)
      yield* pass("59 minutes")
      assert.strictEqual(sent.length, 1)
      yield* pass("2 minutes")
      assert.strictEqual(sent.length, 21)
      const { items } = yield* petstore.webhooks.deliveries(1, { status: "pending" })
      assert.deepStrictEqual(
        items.map(({ nextAttemptAt }) => nextAttemptAt?.slice(0, 10)),
        ["1970-01-02"]
      )
    })
  )
})
