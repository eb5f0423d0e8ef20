import type { EventRecord } from "../ports/EventRows.ts"
import { accountTable } from "./MemoryAccounts.ts"
import { apiKeyTable } from "./MemoryApiKeys.ts"
import { categoryTable } from "./MemoryCategories.ts"
import { idempotencyTable } from "./MemoryIdempotency.ts"
import { messageTable } from "./MemoryMessages.ts"
import { MemoryLedgers } from "./MemoryMovements.ts"
import { orderTable } from "./MemoryOrders.ts"
import { petTable } from "./MemoryPets.ts"

/** What a body that runs does; there is one at a time that writes. */
export type Activity = "none" | "reading" | "writing"

/** Called when something was committed. */
export interface Watcher {
  readonly wake: () => void
}

/** The rows of one database. Several stores may share it. */
export class MemoryDatabase {
  readonly pets = petTable()
  readonly categories = categoryTable()
  readonly orders = orderTable()
  readonly movements = new MemoryLedgers()
  readonly events: Array<EventRecord> = []
  readonly messages = messageTable()
  readonly accounts = accountTable()
  readonly apiKeys = apiKeyTable()
  readonly idempotency = idempotencyTable()
  /** Who wants to know of each commit. */
  readonly watchers = new Set<Watcher>()
  private running: Activity = "none"

  get activity(): Activity {
    return this.running
  }

  /** Runs a body to its end, and lets others know meanwhile. */
  during<A>(activity: Activity, body: () => A): A {
    const outer = this.running
    this.running = activity
    try {
      return body()
    } finally {
      this.running = outer
    }
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
      ...this.idempotency.problems("idempotency")
    ]
  }
}
