import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SynchronousConnection } from "../adapter-toolkit/SynchronousConnection.ts"
import { Storage, type StorageAdapter } from "../ports/Storage.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import { restore } from "./restore.ts"

/** The store of a connection. */
export const memoryStore = (connection: SynchronousConnection, database: MemoryDatabase): Storage["Service"] => ({
  ...connection.operations,
  run: connection.runCommands(() => database.rows.source(), database.rows.write),
  reserve: (table, count) => connection.read(() => database.rows.reserve(table, count)),
  inspect: connection.read(() => database.problems()),
  backup: undefined,
  restore: restore(connection, database),
  ...database.rows.ofPort(connection)
})

/**
 * Keeps everything in memory, with the same transactions as the other adapters: for tests, demonstrations and data that
 * may be lost. The data lives as long as this object: petstores that are opened with it, at once or one after the other,
 * share one database. Tests that must not share data need one each.
 */
export const memory = (): StorageAdapter => {
  const database = new MemoryDatabase()
  const open = SynchronousConnection.open(database)
  return {
    name: "memory",
    layer: Layer.effect(
      Storage,
      Effect.map(open, (connection) => memoryStore(connection, database))
    )
  }
}
