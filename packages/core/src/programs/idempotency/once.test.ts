import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { withLockChecks } from "../../../../../laboratory/locks/withLockChecks.ts"
import { Principal } from "../../domain/access/Principal.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage } from "../../ports/Storage.ts"
import { layer } from "../../runtime/Runtime.ts"
import { UseCaseRunner } from "../../runtime/UseCaseRunner.ts"
import { useCases } from "../../runtime/useCases.ts"
import { idempotencyKeys } from "../../tables/index.ts"

const once = { idempotencyKey: "once" }

const fresh = <A, E>(body: Effect.Effect<A, E, Petstore | Storage>) =>
  Effect.suspend(() => Effect.provide(body, Petstore.layer(withLockChecks(memory()))))

const records = Effect.flatMap(Storage, ({ scan }) => scan(idempotencyKeys, [], 1_000))

const countMessages = Effect.flatMap(Petstore, ({ messages }) =>
  Effect.map(messages.list({ limit: 100 }), ({ items }) => items.length)
)

describe("given a key that was used", () => {
  it.effect("when it is used again before 7 days are over, then the first result is returned", () =>
    fresh(
      Effect.gen(function* () {
        const { messages } = yield* Petstore
        const first = yield* messages.enqueue("Hello", once)
        yield* TestClock.adjust("167 hours")
        yield* TestClock.adjust("59 minutes")
        assert.deepStrictEqual(yield* messages.enqueue("Hello", once), first)
        assert.strictEqual(yield* countMessages, 1)
      })
    )
  )

  it.effect("when it is used again after 7 days, then it is a new one, and kept for 7 days from then", () =>
    fresh(
      Effect.gen(function* () {
        const { messages } = yield* Petstore
        const first = yield* messages.enqueue("Hello", once)
        yield* TestClock.adjust("7 days")
        const second = yield* messages.enqueue("Hello", once)
        assert.notStrictEqual(second.id, first.id)
        yield* TestClock.adjust("6 days")
        assert.deepStrictEqual(yield* messages.enqueue("Hello", once), second)
        assert.strictEqual((yield* records).length, 1)
      })
    )
  )

  it.effect("when it is used with other input after 7 days, then that is no reuse", () =>
    fresh(
      Effect.gen(function* () {
        const { messages, categories } = yield* Petstore
        yield* messages.enqueue("Hello", once)
        assert.strictEqual((yield* Effect.flip(messages.enqueue("Bye", once))).code, "idempotency_key_reused")
        yield* TestClock.adjust("7 days")
        assert.strictEqual((yield* messages.enqueue("Bye", once)).message, "Bye")
        yield* TestClock.adjust("7 days")
        assert.strictEqual((yield* categories.create({ name: "Dogs" }, once)).name, "Dogs")
      })
    )
  )

  it.effect("when it is used with the same versions in another order, then that is the same input", () =>
    fresh(
      Effect.gen(function* () {
        const { categories } = yield* Petstore
        yield* categories.create({ name: "Dogs" })
        const rename = (ifVersion: ReadonlyArray<number>) =>
          categories.update(1, { name: "Hounds" }, { ...once, ifVersion })
        assert.deepStrictEqual(yield* rename([2, 1]), yield* rename([1, 2]))
      })
    )
  )

  it.effect("when another account uses it, then it is another key", () =>
    fresh(
      Effect.gen(function* () {
        const { messages } = yield* Petstore
        const as = (accountId: number) =>
          Effect.provideService(messages.enqueue("Hello", once), Principal, { accountId, actor: `key:${accountId}` })
        const [owner, first, second] = [yield* messages.enqueue("Hello", once), yield* as(1), yield* as(2)]
        assert.strictEqual(new Set([owner.id, first.id, second.id]).size, 3)
        assert.deepStrictEqual([yield* as(1), yield* as(2)], [first, second])
        assert.deepStrictEqual(
          (yield* records).map(({ accountId, key, operation }) => [accountId, key, operation]),
          [
            [0, "once", "messages.enqueue"],
            [1, "once", "messages.enqueue"],
            [2, "once", "messages.enqueue"]
          ]
        )
      })
    )
  )
})

describe("given a body that runs once in a transaction", () => {
  const order = Effect.flatMap(Petstore, ({ transaction }) =>
    transaction((tx) =>
      tx.once(
        "cart-17",
        Effect.map(tx.messages.enqueue("Hello"), ({ id }) => id)
      )
    )
  )

  it.effect("when its key expires, then it runs again", () =>
    fresh(
      Effect.gen(function* () {
        const first = yield* order
        yield* TestClock.adjust("167 hours")
        assert.strictEqual(yield* order, first)
        yield* TestClock.adjust("1 hour")
        assert.notStrictEqual(yield* order, first)
        assert.strictEqual(yield* countMessages, 2)
      })
    )
  )

  it.effect("when a user of the app repeats it, then their key is another one", () =>
    fresh(
      Effect.gen(function* () {
        const { transaction } = yield* Petstore
        const first = yield* order
        const ada = transaction((tx) =>
          tx.as({ user: "ada" }).once(
            "cart-17",
            Effect.map(tx.messages.enqueue("Hello"), ({ id }) => id)
          )
        )
        assert.notStrictEqual(yield* ada, first)
        assert.strictEqual(yield* order, first)
      })
    )
  )
})

describe("given calls with keys", () => {
  it.effect("when unlessVersion is another one, then it is another request", () =>
    Effect.suspend(() =>
      Effect.gen(function* () {
        const { call } = yield* UseCaseRunner
        const { id, version } = (yield* call(useCases.categories.create, { name: "Dogs" })).value
        const rename = (than: number) => {
          const options = { ...once, unlessVersion: [than] }
          return call(useCases.categories.update, id, { name: "Hounds" }, options)
        }
        yield* rename(version + 1)
        assert.strictEqual((yield* Effect.flip(rename(version + 2))).code, "idempotency_key_reused")
      }).pipe(Effect.provide(layer(memory())))
    )
  )

  it.effect("when one dies on the way, then neither its effect nor its record is kept", () =>
    fresh(
      Effect.gen(function* () {
        const { transaction } = yield* Petstore
        const death = transaction((tx) =>
          Effect.andThen(tx.messages.enqueue("Hello", once), Effect.die(new Error("power cut")))
        )
        yield* Effect.exit(death)
        assert.deepStrictEqual(yield* records, [])
        assert.strictEqual(yield* countMessages, 0)
      })
    )
  )

  it.effect("when each process makes one creation only, then expired records leave all the same", () =>
    Effect.gen(function* () {
      const storage = memory()
      const inProcess = <A, E>(body: Effect.Effect<A, E, Petstore | Storage>) =>
        Effect.provide(body, Petstore.layer(storage))
      yield* inProcess(
        Effect.forEach(
          Array.from({ length: 100 }, (_, n) => n),
          (n) => Effect.flatMap(Petstore, ({ messages }) => messages.enqueue("Hello", { idempotencyKey: `old-${n}` }))
        )
      )
      yield* TestClock.adjust("8 days")
      for (const idempotencyKey of ["one", "two"]) {
        yield* inProcess(Effect.flatMap(Petstore, ({ messages }) => messages.enqueue("Hello", { idempotencyKey })))
      }
      assert.deepStrictEqual(
        (yield* inProcess(records)).map(({ key }) => key),
        ["one", "two"]
      )
    })
  )

  it.effect("when the clock runs ahead and is set back, then the records from before are honoured", () =>
    fresh(
      Effect.gen(function* () {
        const { messages } = yield* Petstore
        const start = Date.parse("2026-01-01T00:00:00Z")
        yield* TestClock.setTime(start)
        const first = yield* messages.enqueue("Hello", once)
        yield* TestClock.setTime(start + 365 * 86_400_000)
        yield* messages.enqueue("Bye")
        yield* TestClock.setTime(start + 60_000)
        assert.deepStrictEqual(yield* messages.enqueue("Hello", once), first)
      })
    )
  )

  it.effect(
    "when the clock is set back while a creation runs, then its record is not younger than what it created",
    () => {
      let millis = Date.parse("2026-01-01T00:00:00Z")
      return fresh(
        Effect.gen(function* () {
          const { categories, verify } = yield* Petstore
          const clock = yield* Clock.clockWith(Effect.succeed)
          const backwards = { ...clock, currentTimeMillisUnsafe: () => (millis -= 10) }
          yield* Effect.provideService(categories.create({ name: "Dogs" }, once), Clock.Clock, backwards)
          const { checks } = yield* verify
          assert.deepStrictEqual(
            checks.filter(({ violations }) => violations > 0),
            []
          )
        })
      )
    }
  )

  it.effect("when records have expired, then they leave as others arrive", () =>
    fresh(
      Effect.gen(function* () {
        const { messages } = yield* Petstore
        const enqueue = (prefix: string, count: number) =>
          Effect.forEach(
            Array.from({ length: count }, (_, n) => n),
            (n) => messages.enqueue("Hello", { idempotencyKey: `${prefix}-${n}` }),
            { discard: true }
          )
        yield* enqueue("old", 300)
        yield* TestClock.adjust("3 days")
        yield* enqueue("recent", 20)
        yield* TestClock.adjust("4 days")
        yield* TestClock.adjust("1 millis")
        yield* enqueue("new", 256)
        const kept = yield* records
        assert.deepStrictEqual(
          kept.filter(({ key }) => key.startsWith("old")).map(({ key }) => key),
          []
        )
        assert.strictEqual(kept.length, 276)
      })
    )
  )
})
