import type { StorageAdapter } from "@petstore/core"
import * as Layer from "effect/Layer"

/** Decorates a storage adapter. Returns a value that is not an adapter unchanged, so that the petstore rejects it. */
export const decorated = (
  adapter: StorageAdapter,
  decorate: (adapter: StorageAdapter) => StorageAdapter
): StorageAdapter => (Layer.isLayer(adapter?.layer) ? decorate(adapter) : adapter)
