import { statSync } from "node:fs"
import type { Connection } from "../connection/Connection.ts"

/** A file that cannot be read is inspected too. */
const sizeAt = (file: string): number => {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

/**
 * Bytes of a database as a connection reads it now. The sizes of its files show something else: pages may still be in the log,
 * and a log keeps the size that it once had.
 */
export const sizeOf = (connection: Connection, file: string): number => {
  try {
    const { page_count } = connection.prepare("PRAGMA page_count").get() ?? {}
    const { page_size } = connection.prepare("PRAGMA page_size").get() ?? {}
    return Number(page_count) * Number(page_size)
  } catch {
    return sizeAt(file)
  }
}
