import type * as Effect from "effect/Effect"
import type { StorageError } from "./StorageError.ts"

/** Temporary lists of texts outside of memory. They are deleted when their scope closes, and do not survive a crash. */
export interface TemporaryLists {
  /** Adds a text to the end of the list with this name. */
  readonly append: (list: string, text: string) => Effect.Effect<void, StorageError>
  /** The text at an index of a list, from 0; undefined after the last. */
  readonly read: (list: string, index: number) => Effect.Effect<string | undefined, StorageError>
}
