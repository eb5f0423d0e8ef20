import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import {
  assertNamesMissing,
  assertRejectsOptions,
  assertTellsOptionsFromFields,
  otherMethods,
  rejectionOf,
  resourceMethods
} from "../../test/support/wrongOptions.ts"
import { untyped } from "../../testing/src/untyped.ts"
import { consumerInputs } from "../domain/methodInputs.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { createPetstore } from "./createPetstore.ts"
import { Petstore } from "./EffectPetstore.ts"

const ofEvents = { "events.latest": 0, "events.list": 1, "events.all": 1, "events.stream": 1 }
const ofConsumers = {
  "events.consumers.list": 1,
  "events.consumers.get": 1,
  "events.consumers.remove": 1,
  "events.consumers.parked": 2,
  "events.consumers.replay": 2,
  "events.consumers.discard": 2
}
const consumers = { "events.consumers": consumerInputs }
const ofTheStore = { encryptSecrets: 0, stats: 0, retention: 0 }

/** What an effect or a stream fails with or dies of; undefined if it succeeds. */
const failureOf = async (call: () => unknown): Promise<unknown> => {
  const result: unknown = call()
  const effect = Effect.isEffect(result) ? result : Stream.runDrain(result as Stream.Stream<unknown>)
  const exit = await Effect.runPromiseExit(effect as Effect.Effect<unknown>)
  return Exit.isSuccess(exit) ? undefined : Cause.squash(exit.cause)
}

describe("given a call without an argument", () => {
  it("when it is one of a petstore or of a transaction, then it rejects, and shows what to write", async () => {
    await using petstore = await createPetstore()
    await assertNamesMissing(petstore, rejectionOf)
    await assertNamesMissing(petstore, rejectionOf, consumers)
    await petstore.transaction((tx) => assertNamesMissing(tx, rejectionOf))
  })

  it("when the method is an effect, then it fails, and shows what to write", async () => {
    const tried = Effect.gen(function* () {
      const petstore = yield* Petstore
      yield* Effect.promise(() => assertNamesMissing(petstore, failureOf))
      yield* Effect.promise(() => assertNamesMissing(petstore, failureOf, consumers))
    })
    await Effect.runPromise(Effect.provide(tried, Petstore.layer(memory())))
  })
})

describe("given options among the fields of an input", () => {
  it("then the method says which of them it takes, and where", async () => {
    await using petstore = await createPetstore()
    await assertTellsOptionsFromFields(petstore)
  })
})

describe("given options that a method does not take", () => {
  it("when a method of a petstore gets one, then it rejects, and names its own options", async () => {
    await using petstore = await createPetstore()
    await assertRejectsOptions(resourceMethods(petstore, ["signal", "transaction"]), rejectionOf)
    const others = { ...ofEvents, ...ofConsumers, ...ofTheStore }
    await assertRejectsOptions(otherMethods(petstore, others, ["signal"]), rejectionOf)
    await assertRejectsOptions(otherMethods(petstore, { verify: 0 }, ["signal", "record"]), rejectionOf)
    assert.strictEqual(await petstore.events.latest(), 0)
  })

  it("when a subscription or consumer gets one, or a signal that is none, then it rejects", async () => {
    await using petstore = await createPetstore()
    const begin = [
      petstore.events.subscribe,
      (listener: () => void, options: never) => petstore.events.consume("c", listener, options)
    ]
    for (const call of begin) {
      for (const options of [{ ifVersion: 1 }, { transaction: {} }, { idempotencyKey: "once" }]) {
        assert.match(
          String(await rejectionOf(() => call(() => {}, untyped(options)))),
          /ifVersion|transaction|idempotencyKey/
        )
      }
      for (const options of [Promise.resolve({}), new Map(), new Date(), []]) {
        const failure = await rejectionOf(() => call(() => {}, untyped(options)))
        assert.match(String(failure), /^TypeError: .* takes an object of options, .* not an? (promise|Map|Date|array)/)
      }
      const failure = await rejectionOf(() => call(() => {}, untyped({ signal: "now" })))
      assert.match(String(failure), /^TypeError: The option signal takes an AbortSignal, not "now"$/)
    }
  })

  it("when a method of a user gets one, then it rejects", async () => {
    await using petstore = await createPetstore()
    const ada = petstore.as({ user: "ada" })
    await assertRejectsOptions(resourceMethods(ada, ["signal", "transaction"]), rejectionOf)
    await assertRejectsOptions(otherMethods(ada, ofEvents, ["signal"]), rejectionOf)
  })

  it("when a method of a transaction gets one, then it rejects", async () => {
    await using petstore = await createPetstore()
    await petstore.transaction(async (tx) => {
      await assertRejectsOptions(resourceMethods(tx, ["signal"]), rejectionOf)
      await assertRejectsOptions(resourceMethods(tx.as({ user: "ada" }), ["signal"]), rejectionOf)
      const runPart: (body: () => Promise<void>, options: never) => Promise<void> = tx.transaction
      const part = await rejectionOf(() => runPart(async () => {}, untyped({ retries: 1 })))
      assert.match(String(part), /^TypeError: tx.transaction does not know the option retries; it takes none$/)
    })
    const whole = await rejectionOf(() => petstore.transaction(async () => {}, untyped({ ifVersion: 1 })))
    assert.match(String(whole), /option ifVersion; it takes idempotencyKey, retries, timeout, signal$/)
  })

  it("when a method as an effect gets one, then it dies", async () => {
    const tried = Effect.gen(function* () {
      const petstore = yield* Petstore
      yield* Effect.promise(async () => {
        await assertRejectsOptions(resourceMethods(petstore, []), failureOf)
        await assertRejectsOptions(resourceMethods(petstore.as({ user: "ada" }), []), failureOf)
        await assertRejectsOptions(otherMethods(petstore, ofConsumers, []), failureOf)
        const { "events.latest": _, ...withQuery } = ofEvents
        await assertRejectsOptions(otherMethods(petstore, withQuery, []), failureOf)
      })
      yield* petstore.transaction((tx) =>
        Effect.promise(() => assertRejectsOptions(resourceMethods(tx, []), failureOf))
      )
      for (const options of [{ retries: -1 }, { signal: AbortSignal.abort() }]) {
        const whole = yield* Effect.exit(petstore.transaction(() => Effect.void, options))
        assert.match(String(whole), /TypeError: .*(retries|signal)/)
      }
    })
    await Effect.runPromise(Effect.provide(tried, Petstore.layer(memory())))
  })

  it("when array.map calls a method, then it rejects, and says what to write instead", async () => {
    await using petstore = await createPetstore()
    const [byMap] = [1].map(petstore.pets.get as (id: number) => Promise<unknown>)
    const [byFrom] = Array.from([1], petstore.pets.get as (id: number) => Promise<unknown>)
    for (const call of [byMap, byFrom]) {
      assert.match(
        String(await rejectionOf(() => call)),
        /^TypeError: pets.get takes .* As the function of array.map, write \(each\) => petstore.pets.get\(each\)\.$/
      )
    }
  })

  it("when something follows the options, then it rejects, and counts the arguments", async () => {
    await using petstore = await createPetstore()
    const { encryptSecrets, pets } = petstore
    for (const [method, inputs, message] of [
      [encryptSecrets, [], "encryptSecrets takes an object of options"],
      [pets.get, [1], "pets.get takes one argument and an object of options"],
      [pets.update, [1, {}], "pets.update takes 2 arguments and an object of options"]
    ] as const) {
      const failure = await rejectionOf(() => Reflect.apply(untyped(method), undefined, [...inputs, {}, 1]))
      assert.include(String(failure), `TypeError: ${message}, and nothing behind them`)
    }
  })

  it("when options are those of a prototype or of getters of a class, then they count", async () => {
    await using petstore = await createPetstore()
    const { id } = await petstore.categories.create({ name: "Cats" })
    class Stale {
      get ifVersion() {
        return 99
      }
    }
    for (const options of [Object.create({ ifVersion: 99 }), new Stale()]) {
      const failure = await rejectionOf(() => petstore.categories.update(id, { name: "Dogs" }, options))
      assert.match(String(failure), /version/)
      assert.strictEqual((await petstore.categories.get(id)).name, "Cats")
    }
    const aborted = Object.create({ signal: AbortSignal.abort(new Error("gone")) })
    assert.match(String(await rejectionOf(() => petstore.categories.get(id, aborted))), /gone/)
  })

  it("when a method without options gets the index of an element, then it is ignored", async () => {
    const read = Effect.gen(function* () {
      const { categories } = yield* Petstore
      const { id } = yield* categories.create({ name: "Cats" })
      return yield* Effect.forEach([id, id], categories.get)
    })
    assert.strictEqual((await Effect.runPromise(Effect.provide(read, Petstore.layer(memory())))).length, 2)
  })
})
