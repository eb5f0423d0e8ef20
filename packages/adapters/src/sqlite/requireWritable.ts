import type { Connection } from "./Connection.ts"
import { isBusy } from "./errors.ts"

/**
 * Throws where this process may not write to the file. SQLite opens such a file all the same, and even begins a
 * transaction that is to write: only a write shows it. This one changes nothing.
 */
export const requireWritable = (connection: Connection): void => {
  try {
    connection.database.exec(connection.named("DELETE FROM petstore_migrations WHERE FALSE"))
  } catch (cause) {
    // Somebody else writes, so this process could.
    if (!isBusy(cause)) throw cause
  }
}
