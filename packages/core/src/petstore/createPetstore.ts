import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { checkRest, functionOption, type OptionSchemas, optionsCheck } from "../domain/options.ts"
import type { MetadataOf, MetadataSchemas } from "../domain/records/ResourceRecord.ts"
import { memory } from "../memory/MemoryStorage.ts"
import type { StorageAdapter } from "../ports/Storage.ts"
import {
  checkDeliveryOptions,
  MessageDelivery,
  type MessageDeliveryOptions,
  type OnMessage
} from "../runtime/messages/MessageDelivery.ts"
import { type RuntimeOptions, runtimeSchemas } from "../runtime/Runtime.ts"
import { Petstore as EffectPetstore } from "./EffectPetstore.ts"
import { openPetstore } from "./openPetstore.ts"
import type { Petstore } from "./Petstore.ts"

/** The options of `createPetstore`. Unknown options throw a TypeError. */
export interface PetstoreOptions<Schemas extends MetadataSchemas = MetadataSchemas> extends RuntimeOptions<Schemas> {
  /** Where the data is stored. Default: in memory. */
  readonly storage?: StorageAdapter
  /**
   * Delivers a message of the queue: it is delivered when the function returns, or when its promise is fulfilled. If it
   * throws, it is called again later, up to 10 times in about 16 hours. It may be called again for a message that it has
   * delivered, if the process ends before that is recorded, so it must be idempotent. Default: messages stay queued.
   */
  readonly onMessage?: OnMessage | undefined
  /** How `onMessage` is called. */
  readonly messages?: MessageDeliveryOptions | undefined
}

const schemas = {
  storage: Schema.Unknown,
  ...runtimeSchemas,
  onMessage: functionOption("a function that delivers a message"),
  messages: Schema.Unknown
} satisfies OptionSchemas<PetstoreOptions>

const check = optionsCheck("createPetstore", "{ storage: memory() }", schemas)

/** Returns the options. Throws a TypeError for those of the wrong type, which plain JavaScript may pass. */
const checkPetstoreOptions = (given: PetstoreOptions): PetstoreOptions => {
  if (Layer.isLayer(Object(given).layer))
    throw new TypeError("createPetstore takes a storage adapter as an option: write createPetstore({ storage })")
  const options = check(given)
  if (options.messages !== undefined) {
    checkDeliveryOptions(options.messages)
    if (options.onMessage === undefined) {
      throw new TypeError("The option messages says how onMessage is called. Add onMessage, or remove messages.")
    }
  }
  return options
}

const layerOf = ({ messages, onMessage, storage = memory(), ...runtimeOptions }: PetstoreOptions) => {
  const petstore = EffectPetstore.layer(storage, runtimeOptions)
  return onMessage === undefined
    ? petstore
    : Layer.provideMerge(MessageDelivery.callingBack(onMessage, messages), petstore)
}

/**
 * Opens a petstore.
 *
 * @example
 * ```ts
 * import { createPetstore } from "@petstore/core"
 *
 * const petstore = await createPetstore()
 * const cats = await petstore.categories.create({ name: "Cats" })
 * const tom = await petstore.pets.create({ name: "Tom", categoryId: cats.id })
 * const order = await petstore.orders.place({ petId: tom.id })
 * await petstore.orders.complete(order.id)
 * await petstore.close()
 * ```
 */
export const createPetstore: <const Schemas extends MetadataSchemas = MetadataSchemas>(
  options?: PetstoreOptions<Schemas>
) => Promise<Petstore<MetadataOf<Schemas>>> = async (options: PetstoreOptions = {}, more?: unknown) => {
  checkRest("createPetstore", "{ storage }", more)
  return openPetstore(layerOf(checkPetstoreOptions(options)))
}
