import type * as Effect from "effect/Effect"
import type { Movement } from "../domain/Movement.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** Stores the stock ledger. Rows are added, never changed or removed. */
export interface MovementRows {
  readonly append: (movement: Movement) => Effect.Effect<void, StorageError, Transaction>
  /** Appends movements in this order, of one pet or several. */
  readonly appendAll: (movements: ReadonlyArray<Movement>) => Effect.Effect<void, StorageError, Transaction>
  /** The movements of a pet, also of a deleted one, in ascending `seq`, above `after`. */
  readonly list: (petId: number, after: number, limit: number) => Effect.Effect<ReadonlyArray<Movement>, StorageError>
  /** All movements in ascending (petId, seq), above that pair. */
  readonly scan: (
    after: { readonly petId: number; readonly seq: number },
    limit: number
  ) => Effect.Effect<ReadonlyArray<Movement>, StorageError>
}
