import type * as Effect from "effect/Effect"
import type { StorageError } from "./StorageError.ts"

/** Temporary lists of texts outside of memory. They are gone when their scope closes, and after a crash. */
export interface TemporaryLists {
  /** Adds a text to the end of the list of this name. */
  readonly append: (list: string, text: string) => Effect.Effect<void, StorageError>
  /** The text at a place of a list, counted from 0; undefined behind the last one. */
  readonly read: (list: string, place: number) => Effect.Effect<string | undefined, StorageError>
}
