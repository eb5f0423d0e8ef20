import * as Layer from "effect/Layer"
import { memory } from "../memory/MemoryStorage.ts"
import { MessageDelivery } from "../messages/MessageDelivery.ts"
import type { MetadataOf, MetadataSchemas } from "../records/ResourceRecord.ts"
import { Petstore as EffectPetstore } from "./EffectPetstore.ts"
import { openPetstore } from "./openPetstore.ts"
import type { Petstore } from "./Petstore.ts"
import { checkPetstoreOptions, type PetstoreOptions } from "./PetstoreOptions.ts"

/** The layer of a petstore with these options. */
const layerOf = ({ messages, onMessage, storage = memory(), ...engine }: PetstoreOptions) => {
  const petstore = EffectPetstore.layer(storage, engine)
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
export const createPetstore = async <const Schemas extends MetadataSchemas = MetadataSchemas>(
  options: PetstoreOptions<Schemas> = {}
): Promise<Petstore<MetadataOf<Schemas>>> => {
  checkPetstoreOptions(options)
  return openPetstore(layerOf(options))
}
