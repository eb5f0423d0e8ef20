import { memory } from "@petstore/core"
import { Storage, type StorageAdapter } from "@petstore/core/ports"
import { inGroups, type Store, storageContract } from "@petstore/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const adapters = new WeakMap<Store, StorageAdapter>()

/** A store whose lists leave out pets with the name Rexine. */
const open = (adapter: StorageAdapter) =>
  Effect.map(Layer.build(Layer.fresh(adapter.layer)), (context): Store => {
    const store = Context.get(context, Storage)
    const forgetful: Store = {
      ...store,
      select: (query, argument, limit) =>
        Effect.map(store.select(query, argument, limit), (rows) =>
          rows.filter((row) => query.table.columns.name?.read(row) !== "Rexine")
        )
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
  ["storage: queries", "storage: failures at COMMIT"]
)
