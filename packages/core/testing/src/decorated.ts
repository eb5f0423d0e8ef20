import type { StorageAdapter } from "@petstore/core"
import * as Layer from "effect/Layer"

/** Decorates a storage adapter. Returns what is no adapter as it is, for the petstore to reject. */
export const decorated = (
  adapter: StorageAdapter,
  decorate: (adapter: StorageAdapter) => StorageAdapter
): StorageAdapter => (Layer.isLayer(adapter?.layer) ? decorate(adapter) : adapter)
