import type * as Effect from "effect/Effect"
import type { Movement } from "../domain/Movement.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** The stock ledger: rows are added, never changed or removed. */
export interface MovementRows {
  readonly append: (movement: Movement) => Effect.Effect<void, StorageError, Transaction>
  /** The movements of one pet in ascending `seq`, above `after`; a deleted pet's too. */
  readonly list: (petId: number, after: number, limit: number) => Effect.Effect<ReadonlyArray<Movement>, StorageError>
  /** Every movement in ascending (petId, seq), behind that pair. */
  readonly scan: (
    after: { readonly petId: number; readonly seq: number },
    limit: number
  ) => Effect.Effect<ReadonlyArray<Movement>, StorageError>
}
