import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Storage, type StorageAdapter } from "../ports/Storage.ts"
import { memoryAccounts } from "./MemoryAccounts.ts"
import { memoryApiKeys } from "./MemoryApiKeys.ts"
import { memoryCategories } from "./MemoryCategories.ts"
import { MemoryConnection } from "./MemoryConnection.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import { memoryEvents } from "./MemoryEvents.ts"
import { memoryIdempotency } from "./MemoryIdempotency.ts"
import { memoryImports } from "./MemoryImports.ts"
import { memoryMessages } from "./MemoryMessages.ts"
import { memoryMovements } from "./MemoryMovements.ts"
import { memoryOrders } from "./MemoryOrders.ts"
import { memoryPets } from "./MemoryPets.ts"

/** Opens a store on a database; it closes with the scope, and the database stays. */
export const openMemory = (database: MemoryDatabase): Effect.Effect<Storage["Service"], never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new MemoryConnection(database)),
      (connection) => connection.close
    ),
    (connection): Storage["Service"] => ({
      ...connection.operations,
      inspect: connection.read(() => database.problems()),
      backup: undefined,
      pets: memoryPets(connection),
      categories: memoryCategories(connection),
      orders: memoryOrders(connection),
      movements: memoryMovements(connection),
      events: memoryEvents(connection),
      messages: memoryMessages(connection),
      accounts: memoryAccounts(connection),
      apiKeys: memoryApiKeys(connection),
      idempotency: memoryIdempotency(connection),
      imports: memoryImports(connection)
    })
  )

/**
 * A store in memory, with transactions as real as those of the others: for tests, demonstrations and data that may be
 * forgotten. The data lives as long as this object: opened twice, at once or one after the other, it is one database. Tests that
 * must not share data need one each.
 */
export const memory = (): StorageAdapter => {
  const database = new MemoryDatabase()
  return { name: "memory", layer: Layer.effect(Storage, openMemory(database)) }
}
