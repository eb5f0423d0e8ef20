import { memory, type Petstore, type PetstoreOptions, type StorageAdapter } from "@petstore/core"
import { type OptionSchemas, optionOf, optionsCheck } from "@petstore/core/domain"
import { Petstore as EffectPetstore, openPetstore } from "@petstore/core/effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { type ControllableClock, controllableClock, millisOf } from "./ControllableClock.ts"
import { decorated } from "./decorated.ts"
import { seededHasher } from "./seededHasher.ts"

/** A petstore for tests: a real one, on a clock that the test moves. */
export interface TestPetstore extends Petstore {
  readonly clock: ControllableClock
}

/** The options of `createPetstore`, and what a test wants to be the same each time. */
export interface TestPetstoreOptions extends PetstoreOptions {
  /** When the clock begins; 2030-01-01T00:00:00Z if absent. */
  readonly now?: string | Date
  /**
   * Ids of messages and events, and secrets of API keys, are the same each time for the same seed. 1 if absent; but
   * random if absent on a `storage` of yours, where two petstores of one seed would make the same ids.
   */
  readonly seed?: number
}

/** Time that the test moves. It does not warn where something sleeps, as the timeout of each waiting request does. */
const clockAt = (millis: number) =>
  Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(millis)), TestClock.layer({ warningDelay: "Infinity" }))

/** An adapter whose random bytes are the same for the same seed. */
const repeatable = (storage: StorageAdapter, seed: number): StorageAdapter =>
  decorated(storage, (adapter) => ({ ...adapter, hasher: seededHasher(seed, adapter.hasher) }))

const checkOptions = optionsCheck("testPetstore", "{ storage: memory() }", {
  storage: Schema.Unknown,
  rules: Schema.Unknown,
  now: Schema.Unknown,
  seed: optionOf("a whole number", Number.isSafeInteger)
} satisfies OptionSchemas<TestPetstoreOptions>)

/**
 * Opens a petstore whose clock stands still until the test moves it: it is a real petstore, in memory or on any other
 * storage, and nothing in it waits for the time of day. All that looks at the time follows its clock: ship dates, the
 * end of API keys, the 7 days of idempotency keys, and over `createHandler` the sunset of operations too.
 *
 * @example
 * ```ts
 * import { createStockedPet, testPetstore } from "@petstore/testing"
 *
 * await using petstore = await testPetstore({ now: "2030-01-01T00:00:00Z" })
 * const rex = await createStockedPet(petstore, { name: "Rex", onHand: 3 })
 *
 * await petstore.clock.advance("1 day")
 * const order = await petstore.orders.place({ petId: rex.id, complete: true })
 * order.shipDate // => "2030-01-02T00:00:00.000Z"
 * ```
 */
export const testPetstore = async (options: TestPetstoreOptions = {}): Promise<TestPetstore> => {
  checkOptions(options)
  const { now = "2030-01-01T00:00:00Z", rules, storage = memory() } = options
  const { seed = options.storage === undefined ? 1 : undefined } = options
  const engine = EffectPetstore.layer(seed === undefined ? storage : repeatable(storage, seed), { rules })
  const petstore = await openPetstore(Layer.provideMerge(engine, clockAt(millisOf("The option now", now))))
  return Object.assign(petstore, { clock: controllableClock(petstore) })
}
