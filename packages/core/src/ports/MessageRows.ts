import type * as Effect from "effect/Effect"
import type { Message } from "../domain/Message.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** Stores the messages. */
export interface MessageRows {
  readonly find: (id: string) => Effect.Effect<Message | undefined, StorageError>
  /** Messages in ascending id, above `after` ("" for all). */
  readonly list: (after: string, limit: number) => Effect.Effect<ReadonlyArray<Message>, StorageError>
  readonly insert: (message: Message) => Effect.Effect<void, StorageError, Transaction>
}
