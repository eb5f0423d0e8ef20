import { memory } from "@petstore/core"
import { Storage, type StorageAdapter } from "@petstore/core/ports"
import { inGroups, type Store, storageContract } from "@petstore/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const adapters = new WeakMap<Store, StorageAdapter>()

/** A store that finds no categories. */
const open = (adapter: StorageAdapter) =>
  Effect.map(Layer.build(Layer.fresh(adapter.layer)), (context): Store => {
    const store = Context.get(context, Storage)
    const forgetful: Store = {
      ...store,
      find: (table, key) => Effect.map(store.find(table, key), (row) => (table.name === "categories" ? undefined : row))
    }
    adapters.set(forgetful, adapter)
    return forgetful
  })

/** A few promises of the storage contract: most are kept, one is broken, and some cannot be asked without faults. */
export const cases = inGroups(
  storageContract({
    open: Effect.suspend(() => open(memory())),
    openAnother: (store) => open(adapters.get(store) ?? memory())
  }),
  ["storage: tables", "storage: failures at COMMIT"]
)
