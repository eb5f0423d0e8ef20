import type { Transaction } from "../ports/Transaction.ts"
import type { UndoLog } from "./UndoLog.ts"

/** The handle of a running body; one inside another has a handle of its own and shares the undo log. */
export class MemoryTransaction {
  readonly store: object
  readonly log: UndoLog
  /** Whether the body is still running. */
  open = true

  constructor(store: object, log: UndoLog) {
    this.store = store
    this.log = log
  }

  /** The transaction behind a handle; undefined where another store opened it. */
  static of(handle: Transaction["Service"], store: object): MemoryTransaction | undefined {
    return handle instanceof MemoryTransaction && handle.store === store ? handle : undefined
  }
}
