import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import { SynchronousConnection } from "../adapter-toolkit/SynchronousConnection.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Transaction } from "../ports/Transaction.ts"
import type { MemoryDatabase } from "./MemoryDatabase.ts"
import type { UndoLog } from "./UndoLog.ts"

/** One store's way to the database. */
export class MemoryConnection extends SynchronousConnection {
  declare readonly database: MemoryDatabase

  constructor(database: MemoryDatabase) {
    super(database)
  }

  /** An operation that changes something, and notes in the log how to take it back. */
  change<A, E>(change: (log: UndoLog) => Exit.Exit<A, E>): Effect.Effect<A, E | StorageError, Transaction> {
    return this.attempt(() => change(this.database.changes))
  }
}
