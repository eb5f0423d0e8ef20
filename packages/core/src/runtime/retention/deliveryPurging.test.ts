import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { withLockChecks } from "../../../../../laboratory/locks/withLockChecks.ts"
import { settle } from "../../../test/webhooks/sending.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage } from "../../ports/Storage.ts"
import { deliveries } from "../../tables/index.ts"

const accepting = {
  send: () => Effect.succeed({ delivered: true, status: 204 } as const),
  urlProblem: () => undefined
}

const deliver = (count: number, kind: string) =>
  Effect.gen(function* () {
    const { categories } = yield* Petstore
    for (let n = 0; n < count; n++) yield* categories.create({ name: `${kind} ${n}` })
    yield* settle
  })

const left = Effect.gen(function* () {
  const { events, scan } = yield* Storage
  const { verify } = yield* Petstore
  const { checks } = yield* verify
  assert.deepStrictEqual(
    checks.flatMap(({ examples, name }) => (examples.length > 0 ? [[name, examples]] : [])),
    []
  )
  const seqs = (yield* scan(deliveries, [], 1_000)).map(({ delivery }) => delivery.seq)
  return { deliveries: seqs.length, latest: seqs.at(-1), events: (yield* events.scan(0, 1_000)).length }
})

describe("given a store that keeps finished deliveries for an hour", () => {
  const on = <A, E>(
    retention: { readonly events?: { readonly for: "10 minutes" } },
    body: Effect.Effect<A, E, Layer.Success<ReturnType<typeof Petstore.layer>>>
  ) =>
    Effect.provide(
      body,
      Petstore.layer(withLockChecks(memory()), {
        retention: { ...retention, deliveries: { for: "1 hour" } },
        webhooks: accepting
      })
    )
  const fill = Effect.gen(function* () {
    const { webhooks } = yield* Petstore
    yield* webhooks.create({ url: "https://example.com/hook", types: ["category.created"] })
    yield* deliver(250, "Dogs")
  })

  it.effect(
    "when their events have expired, then they stay for the hour, and are removed then, but for the last one",
    () =>
      on(
        { events: { for: "10 minutes" } },
        Effect.gen(function* () {
          yield* fill
          yield* TestClock.adjust("50 minutes")
          assert.deepStrictEqual(yield* left, { deliveries: 250, latest: 251, events: 1 })
          // In batches, with a pause between them.
          yield* TestClock.setTime(61 * 60_000)
          assert.deepInclude(yield* left, { deliveries: 150 })
          yield* TestClock.adjust("4 minutes")
          assert.deepStrictEqual(yield* left, { deliveries: 1, latest: 251, events: 1 })
          yield* deliver(1, "Cats")
          assert.deepStrictEqual(yield* left, { deliveries: 2, latest: 252, events: 2 })
        })
      )
  )

  it.effect(
    "when even the event of the last one is removed, then the last one stays, so that its id is not used again",
    () =>
      on(
        { events: { for: "10 minutes" } },
        Effect.gen(function* () {
          const { categories } = yield* Petstore
          yield* fill
          yield* categories.update(1, { description: "They bark" })
          yield* TestClock.adjust("65 minutes")
          assert.deepStrictEqual(yield* left, { deliveries: 1, latest: 251, events: 1 })
        })
      )
  )

  it.effect("when their events are kept, then they are kept, too", () =>
    on(
      {},
      Effect.gen(function* () {
        yield* fill
        yield* TestClock.adjust("3 hours")
        assert.deepStrictEqual(yield* left, { deliveries: 250, latest: 251, events: 251 })
      })
    )
  )
})
