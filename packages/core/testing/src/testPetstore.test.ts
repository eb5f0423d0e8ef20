import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { createPetstore, memory, type Petstore, type PetstoreOptions } from "@petstore/core"
import { IdempotencyKeyReused, InvalidApiKey, ShuttingDown, ValidationFailed } from "@petstore/core/domain"
import { Petstore as EffectPetstore, runtimeOf } from "@petstore/core/effect"
import type { StorageAdapter } from "@petstore/core/ports"
import { ApiKeys } from "@petstore/core/runtime"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { disabledWebhook, expectLogs, openTwice } from "../../test/support/expectLogs.ts"
import { assertRejects } from "./assertRejects.ts"
import { aNewCategory, aNewPet } from "./builders.ts"
import type { ControllableClock } from "./ControllableClock.ts"
import { embeddedContract, inGroups, petstoreContract, registerContract } from "./index.ts"
import { checkInvariants } from "./petstore/checkInvariants.ts"
import { recordEvents } from "./petstore/recordEvents.ts"
import { createOpenOrder, createStockedPet } from "./testData.ts"
import { type TestPetstore, type TestPetstoreOptions, testPetstore } from "./testPetstore.ts"
import { untyped } from "./untyped.ts"

expectLogs(disabledWebhook, openTwice)

const using = async (use: (petstore: TestPetstore) => Promise<void>, options?: TestPetstoreOptions) => {
  await using petstore = await testPetstore(options)
  await use(petstore)
}

const storages = new WeakMap<Petstore, StorageAdapter>()

const openOn = (storage: StorageAdapter, options: PetstoreOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const petstore = await testPetstore({ ...options, storage })
      storages.set(petstore, storage)
      clocks.set(petstore, petstore.clock)
      return petstore
    }),
    (petstore) => Effect.promise(() => petstore.close())
  )

const open = Effect.suspend(() => openOn(memory()))

const openWith = (options: PetstoreOptions) => Effect.suspend(() => openOn(memory(), options))

const openAnother = (petstore: Petstore, options?: PetstoreOptions) =>
  openOn(storages.get(petstore) ?? memory(), options)

const clocks = new WeakMap<Petstore, ControllableClock>()

/** Fails once the petstore is closed. */
const advance = (petstore: Petstore, millis: number) =>
  Effect.tryPromise({ try: async () => clocks.get(petstore)?.advance(millis), catch: (error) => error })

// It differs from a petstore of `createPetstore` in its clock and its random bytes: what uses neither runs there.
describe("a petstore for tests", () => {
  const groups = ["orders", "inventory", "messages", "accounts", "API keys", "idempotency", "races", "calls"]
  const cases = [
    ...inGroups(petstoreContract({ open, afterEach: checkInvariants }), groups),
    ...embeddedContract({ open, openWith, openAnother, advance })
  ]

  registerContract(cases, { describe, it })

  it("skips no promise of the contract", () => {
    assert.deepStrictEqual(
      cases.filter(({ skip }) => skip !== undefined),
      []
    )
  })
})

describe("given a petstore for tests", () => {
  it("when nothing is said, then its clock begins in 2030 and stands still", () =>
    using(async (petstore) => {
      assert.strictEqual(petstore.clock.now, "2030-01-01T00:00:00.000Z")
      const order = await createOpenOrder(petstore)
      assert.strictEqual((await petstore.orders.complete(order.id)).shipDate, petstore.clock.now)
    }))

  it("when a beginning is said, as a text with any offset or as a Date, then its clock begins there", async () => {
    for (const now of ["2026-05-04T11:30:00+02:00", new Date("2026-05-04T09:30:00Z")]) {
      await using(async ({ clock }) => assert.strictEqual(clock.now, "2026-05-04T09:30:00.000Z"), { now })
    }
  })

  it("when the clock is advanced or set, then orders ship at that time", () =>
    using(async (petstore) => {
      const { id: petId } = await createStockedPet(petstore, { onHand: 2 })
      await petstore.clock.advance("1 day")
      assert.strictEqual(petstore.clock.now, "2030-01-02T00:00:00.000Z")
      const order = await petstore.orders.place({ petId, complete: true })
      assert.strictEqual(order.shipDate, "2030-01-02T00:00:00.000Z")
      await petstore.clock.set("2031-01-01T00:00:00Z")
      const later = await petstore.orders.place({ petId, complete: true })
      assert.strictEqual(later.shipDate, "2031-01-01T00:00:00.000Z")
      const times = (await petstore.inventory.movements(petId)).items.map(({ at }) => at)
      assert.strictEqual(times.at(-1), petstore.clock.now)
    }))

  it("when what sleeps is due, then it has run once the clock was moved", () =>
    using(async (petstore) => {
      const ticks: Array<string> = []
      const ticking = Effect.forever(
        Effect.andThen(
          Effect.sleep("1 hour"),
          Effect.sync(() => ticks.push(petstore.clock.now))
        )
      )
      const fiber = runtimeOf(petstore).runFork(ticking)
      await petstore.clock.advance("150 minutes")
      fiber.interruptUnsafe()
      assert.deepStrictEqual(ticks, ["2030-01-01T01:00:00.000Z", "2030-01-01T02:00:00.000Z"])
    }))

  it("when 7 days have passed, then an idempotency key is new again, and not a moment before", () =>
    using(async ({ clock, messages }) => {
      const once = { idempotencyKey: "once" }
      const { id } = await messages.enqueue("Hello", once)
      await clock.advance(7 * 86_400_000 - 1)
      assert.strictEqual((await messages.enqueue("Hello", once)).id, id)
      await assertRejects(messages.enqueue("Goodbye", once), IdempotencyKeyReused)
      await clock.advance(1)
      assert.notStrictEqual((await messages.enqueue("Goodbye", once)).id, id)
    }))

  it("when an API key ends, then it works until then and not after", () =>
    using(async (petstore) => {
      const { id: accountId } = await petstore.accounts.create({ name: "Shop" })
      const expiresAt = "2030-01-01T01:00:00Z"
      const { key } = await petstore.apiKeys.create({ accountId, name: "Till", preset: "read", expiresAt })
      const authenticate = () =>
        runtimeOf(petstore).runPromise(Effect.flatMap(ApiKeys, (apiKeys) => apiKeys.authenticate(key)))
      assert.strictEqual((await authenticate()).name, "Till")
      await petstore.clock.set(expiresAt)
      await assertRejects(authenticate(), InvalidApiKey)
      const past = petstore.apiKeys.create({ accountId, name: "Late", preset: "read", expiresAt })
      await assertRejects(past, ValidationFailed)
    }))

  it("when it has events, then they have the time of its clock", () =>
    using(async (petstore) => {
      const received = new Promise<string>((resolve) => {
        petstore.events.subscribe((event) => resolve(event.timestamp), { types: ["message.queued"] })
      })
      await petstore.clock.advance("1 day")
      await petstore.messages.enqueue("Hello")
      assert.strictEqual(await received, "2030-01-02T00:00:00.000Z")
    }))

  it("when it is closed, then moving its clock fails, and says why", async () => {
    const petstore = await testPetstore()
    await petstore.close()
    const { message } = await assertRejects(petstore.clock.advance("1 day"), ShuttingDown)
    assert.strictEqual(message, "Cannot move the clock: the petstore is closed.")
  })
})

/** Ids and secrets of a few things that are made. */
const madeWith = async (options?: TestPetstoreOptions, name = "Shop") => {
  await using petstore = await testPetstore(options)
  const { id: accountId } = await petstore.accounts.create({ name })
  return [
    (await petstore.messages.enqueue("Hello")).id,
    (await petstore.messages.enqueue("Hello")).id,
    (await petstore.apiKeys.create({ accountId, name: "Till", preset: "read" })).key
  ]
}

describe("given the seed of a petstore for tests", () => {
  it("when it is the same, then ids and secrets are; when it is another, then they are others", async () => {
    const first = await madeWith()
    assert.strictEqual(new Set(first).size, 3)
    assert.deepStrictEqual(await madeWith(), first)
    assert.deepStrictEqual(await madeWith({ seed: 1 }), first)
    for (const [index, id] of (await madeWith({ seed: 2 })).entries()) assert.notStrictEqual(id, first[index])
  })

  it("when two petstores are on one storage of the test, then they never make the same ids", async () => {
    const storage = memory()
    const ids = [...(await madeWith({ storage })), ...(await madeWith({ storage }, "Market"))]
    assert.strictEqual(new Set(ids).size, 6)
  })
})

describe("given fake timers that leave setImmediate as it is", () => {
  afterEach(() => void vi.useRealTimers())

  it("then petstores open, work, deliver events and close, each with its own clock", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "setInterval"], now: Date.parse("2040-01-01T00:00:00Z") })
    const expected: ReadonlyArray<readonly [Petstore, string]> = [
      [await createPetstore(), "2040-01-01T00:00:00.000Z"],
      [await testPetstore(), "2030-01-01T00:00:00.000Z"]
    ]
    for (const [petstore, now] of expected) {
      const { received, untilHandled } = await recordEvents(petstore, { types: ["order.completed"] })
      const { id } = await createOpenOrder(petstore)
      assert.strictEqual((await petstore.orders.complete(id)).shipDate, now)
      await untilHandled(await petstore.events.latest())
      assert.deepStrictEqual(
        received.map(({ timestamp }) => timestamp),
        [now]
      )
      await petstore.close()
    }
  })
})

describe("given options that testPetstore does not know", () => {
  const refusals: ReadonlyArray<readonly [unknown, RegExp]> = [
    [{ clock: 1 }, /testPetstore does not know the option clock; it takes storage, .*now, seed$/],
    [null, /testPetstore takes an object of options/],
    [
      { now: "tomorrow" },
      /option now takes a Date, or a time with an offset such as "2030-01-01T00:00:00Z", not tomorrow/
    ],
    [{ now: 12 }, /option now takes a Date/],
    [{ now: new Date(Number.NaN) }, /option now takes a Date/],
    [{ seed: "one" }, /option seed takes a whole number/],
    [{ storage: "petstore.db" }, /storage of a petstore is a storage adapter/]
  ]
  for (const [options, message] of refusals) {
    it(`when ${JSON.stringify(options)} is given, then it says what it takes`, async () => {
      assert.match((await assertRejects(testPetstore(untyped(options)), TypeError)).message, message)
    })
  }

  it("when the clock is to go back, then it says how to begin earlier, and stays", () =>
    using(async ({ clock }) => {
      const error = await assertRejects(clock.set("2029-12-31T23:59:59Z"), RangeError)
      assert.match(
        error.message,
        /clock is at 2030-01-01T00:00:00.000Z and .* Start earlier with testPetstore\(\{ now \}\)/
      )
      await assertRejects(clock.advance("-1 second"), RangeError)
      await assertRejects(clock.advance("Infinity"), RangeError)
      await assertRejects(clock.set("tomorrow"), TypeError)
      await assertRejects(clock.set(new Date("+010000-01-01T00:00:00Z")), TypeError)
      for (const duration of ["a while", "", "1", Number.NaN, undefined, null]) {
        const { message } = await assertRejects(clock.advance(untyped(duration)), TypeError)
        assert.include(message, `clock.advance takes a duration such as "1 day", or milliseconds, not ${duration}`)
      }
      assert.strictEqual(clock.now, "2030-01-01T00:00:00.000Z")
    }))
})

describe("given the petstore of Effect under Effect's test clock", () => {
  it.effect("when the clock is adjusted, then orders ship at that time and keys end", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2030-01-01T00:00:00Z"))
      const { accounts, apiKeys, categories, orders, pets } = yield* EffectPetstore
      const { id: categoryId } = yield* categories.create(aNewCategory())
      const { id: petId } = yield* pets.create(aNewPet({ categoryId }))
      const { id: accountId } = yield* accounts.create({ name: "Shop" })
      const expiresAt = "2030-01-01T12:00:00Z"
      const { key } = yield* apiKeys.create({ accountId, name: "Till", preset: "read", expiresAt })
      const { authenticate } = yield* ApiKeys
      assert.strictEqual((yield* authenticate(key)).name, "Till")
      yield* TestClock.adjust("1 day")
      assert.instanceOf(yield* Effect.flip(authenticate(key)), InvalidApiKey)
      const order = yield* orders.place({ petId, complete: true })
      assert.strictEqual(order.shipDate, "2030-01-02T00:00:00.000Z")
    }).pipe(Effect.provide(EffectPetstore.layer(memory())))
  )
})
