import { SynchronousDatabase } from "../adapter-toolkit/SynchronousDatabase.ts"
import { InternalError, StorageFull } from "../domain/errors/ServiceErrors.ts"
import type { EventRecord } from "../ports/EventRows.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { accountTable } from "./MemoryAccounts.ts"
import { apiKeyTable } from "./MemoryApiKeys.ts"
import { categoryTable } from "./MemoryCategories.ts"
import { type MemoryFaults, noFaults } from "./MemoryFaults.ts"
import { idempotencyTable } from "./MemoryIdempotency.ts"
import { importTable } from "./MemoryImports.ts"
import { messageTable } from "./MemoryMessages.ts"
import { MemoryLedgers } from "./MemoryMovements.ts"
import { orderTable } from "./MemoryOrders.ts"
import { petTable } from "./MemoryPets.ts"
import { UndoLog } from "./UndoLog.ts"

/** The rows of one database. Several stores may share it. */
export class MemoryDatabase extends SynchronousDatabase {
  readonly pets = petTable()
  readonly categories = categoryTable()
  readonly orders = orderTable()
  readonly movements = new MemoryLedgers()
  readonly events: Array<EventRecord> = []
  readonly messages = messageTable()
  readonly accounts = accountTable()
  readonly apiKeys = apiKeyTable()
  readonly idempotency = idempotencyTable()
  readonly imports = importTable()
  /** Of the transaction that runs. */
  log: UndoLog | undefined
  private readonly faults: MemoryFaults

  constructor(faults: MemoryFaults = noFaults()) {
    super()
    this.faults = faults
  }

  override readonly transaction = (body: () => boolean): void => {
    const outer = this.log
    const log = outer ?? new UndoLog()
    const { mark } = log
    this.log = log
    try {
      if (!body()) log.rollbackTo(mark)
      else if (outer === undefined && this.faults.failNextCommit) this.failCommit(log)
    } finally {
      this.log = outer
    }
  }

  override readonly errorOf = (cause: unknown): StorageError =>
    cause instanceof StorageFull ? cause : new InternalError({}, { cause })

  /** Where changes are noted; for a part of a transaction that changes something. */
  get changes(): UndoLog {
    if (this.log === undefined) throw new Error("There is no transaction")
    if (this.faults.loseNextTransaction) {
      this.faults.loseNextTransaction = false
      throw new StorageFull({})
    }
    return this.log
  }

  /** Where the database does not agree with itself. */
  problems(): ReadonlyArray<string> {
    return [
      ...this.pets.problems("pets"),
      ...this.categories.problems("categories"),
      ...this.orders.problems("orders"),
      ...this.movements.problems(),
      ...this.messages.problems("messages"),
      ...this.accounts.problems("accounts"),
      ...this.apiKeys.problems("apiKeys"),
      ...this.idempotency.problems("idempotency"),
      ...this.imports.problems("imports")
    ]
  }

  private failCommit(log: UndoLog): never {
    this.faults.failNextCommit = false
    log.rollbackTo(0)
    throw new Error("The commit failed")
  }
}
