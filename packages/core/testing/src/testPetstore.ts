import { memory, type Petstore, type PetstoreOptions, type StorageAdapter } from "@petstore/core"
import {
  type AnyMetadata,
  checkRest,
  functionOption,
  type MetadataOf,
  type MetadataSchemas,
  type OptionSchemas,
  optionOf,
  optionsCheck
} from "@petstore/core/domain"
import { Petstore as EffectPetstore, MessageDelivery, openPetstore } from "@petstore/core/effect"
import { runtimeSchemas } from "@petstore/core/runtime"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { type ControllableClock, controllableClock, millisOf } from "./ControllableClock.ts"
import { decorated } from "./decorated.ts"
import { seededHasher } from "./seededHasher.ts"

/** A petstore whose clock the test moves. */
export interface TestPetstore<Metadata extends AnyMetadata = AnyMetadata> extends Petstore<Metadata> {
  readonly clock: ControllableClock
}

/** The options of `createPetstore`, and those that make a test repeatable. */
export interface TestPetstoreOptions<Schemas extends MetadataSchemas = MetadataSchemas>
  extends PetstoreOptions<Schemas> {
  /** The initial time of the clock. Default: 2030-01-01T00:00:00Z. */
  readonly now?: string | Date
  /**
   * The ids of messages and events and the secrets of API keys are the same for the same seed. 1 by default; random if
   * you pass a `storage`, on which two petstores with one seed would create the same ids.
   */
  readonly seed?: number
}

/** A clock that the test moves. It does not warn about sleeping fibers, since every request has a timeout that sleeps. */
const clockAt = (millis: number) =>
  Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(millis)), TestClock.layer({ warningDelay: "Infinity" }))

/** An adapter whose random bytes are the same for the same seed. */
const repeatable = (storage: StorageAdapter, seed: number): StorageAdapter =>
  decorated(storage, (adapter) => ({ ...adapter, hasher: seededHasher(seed, adapter.hasher) }))

const checkOptions = optionsCheck("testPetstore", "{ storage: memory() }", {
  storage: Schema.Unknown,
  ...runtimeSchemas,
  onMessage: functionOption("a function that delivers a message"),
  messages: Schema.Unknown,
  now: Schema.Unknown,
  seed: optionOf("a whole number", Number.isSafeInteger)
} satisfies OptionSchemas<TestPetstoreOptions>)

/**
 * Opens a petstore, in memory or on any other storage, whose clock stands still until the test moves it. Everything that
 * depends on time follows the clock: ship dates, the expiry of API keys, the 7 days of idempotency keys, and with
 * `createHandler` the request timeout, the rate limit and the sunset of operations.
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
export const testPetstore: <const Schemas extends MetadataSchemas = MetadataSchemas>(
  options?: TestPetstoreOptions<Schemas>
) => Promise<TestPetstore<MetadataOf<Schemas>>> = async (options: TestPetstoreOptions = {}, more?: unknown) => {
  checkRest("testPetstore", "{ storage }", more)
  const {
    messages,
    now = "2030-01-01T00:00:00Z",
    onMessage,
    storage,
    seed = storage === undefined ? 1 : undefined,
    ...rest
  } = checkOptions(options)
  const adapter = storage ?? memory()
  const petstoreLayer = EffectPetstore.layer(seed === undefined ? adapter : repeatable(adapter, seed), rest)
  const delivering =
    onMessage === undefined
      ? petstoreLayer
      : Layer.provideMerge(MessageDelivery.callingBack(onMessage, messages), petstoreLayer)
  const petstore = await openPetstore(Layer.provideMerge(delivering, clockAt(millisOf("The option now", now))))
  return Object.assign(petstore, { clock: controllableClock(petstore) })
}
