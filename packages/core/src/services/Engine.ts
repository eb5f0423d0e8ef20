import { Layer } from "effect"
import { Hasher } from "../ports/Hasher.ts"
import type { StorageAdapter } from "../ports/Storage.ts"
import { Accounts } from "./Accounts.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { Categories } from "./Categories.ts"
import { Idempotency } from "./Idempotency.ts"
import { Inventory } from "./Inventory.ts"
import { Journal } from "./Journal.ts"
import { Messages } from "./Messages.ts"
import { Orders } from "./Orders.ts"
import { Pets } from "./Pets.ts"
import { StockLedger } from "./StockLedger.ts"
import { Verification } from "./Verification.ts"

/** Every use case, over whatever store and hasher are given. */
const useCases = Layer.mergeAll(
  Accounts.layer,
  ApiKeys.layer,
  Categories.layer,
  Inventory.layer,
  Messages.layer,
  Orders.layer,
  Pets.layer,
  Verification.layer
).pipe(Layer.provide(Idempotency.layer), Layer.provide(StockLedger.layer), Layer.provideMerge(Journal.layer))

/** The engine on a store: every use case, and the store itself, which closes with the layer's scope. */
export const layer = (adapter: StorageAdapter) =>
  // Fresh, because layers are shared within a program: the use cases of one engine are not those of another store.
  Layer.fresh(useCases).pipe(
    Layer.provideMerge(adapter.layer),
    Layer.provideMerge(Layer.succeed(Hasher, adapter.hasher ?? Hasher.portable))
  )

/** What {@link layer} offers. */
export type Engine = Layer.Success<ReturnType<typeof layer>>
