import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Storage, type StorageAdapter } from "../../src/ports/Storage.ts"

type Store = Storage["Service"]

/** The same adapter, but its store has other operations. */
export const withRows = (adapter: StorageAdapter, changed: (store: Store) => Partial<Store>): StorageAdapter => {
  const layer = Layer.effect(
    Storage,
    Effect.map(Storage, (store) => ({ ...store, ...changed(store) }))
  )
  return { ...adapter, layer: Layer.provide(layer, adapter.layer) }
}
