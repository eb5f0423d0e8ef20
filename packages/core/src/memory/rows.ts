import * as Exit from "effect/Exit"
import type { RowCalls } from "../adapter-toolkit/SynchronousConnection.ts"
import type { Rows } from "../ports/Rows.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { MemoryRows } from "./MemoryRows.ts"

/** The rows of a store. There is one writer at a time, so reading a row in a transaction locks it. */
export const rows = (calls: RowCalls, database: MemoryRows): Rows => {
  const { events } = database
  /** A value that is taken rejects the call alone. */
  const attempt = <A>(operation: () => A) =>
    calls.attempt((): Exit.Exit<A, StorageError> => {
      try {
        return Exit.succeed(operation())
      } catch (thrown) {
        if (thrown instanceof Error && "_tag" in thrown) return Exit.fail(thrown as StorageError)
        throw thrown
      }
    })
  return {
    find: (table, key) => calls.read(() => database.find(table, key)),
    findAll: (table, keys) => calls.read(() => database.findAll(table, keys)),
    lock: (table, key) => calls.lock(() => database.find(table, key)),
    scan: (table, after, limit) => calls.read(() => database.scan(table, after, limit)),
    select: (query, argument, limit) => calls.read(() => database.select(query, argument, limit)),
    count: (query, argument, most) => calls.read(() => database.count(query, argument, most)),
    claim: (query, argument, limit) => calls.lock(() => database.claim(query, argument, limit)),
    insert: (table, rowsOf) => attempt(() => database.insert(table, rowsOf)),
    write: (writes) => attempt(() => database.write(writes)),
    events: {
      latest: calls.read(() => events.last),
      scan: (after, limit) => calls.read(() => events.list(after, limit)),
      scanDeferred: (after, limit) => calls.read(() => events.defer(after, limit)),
      find: (seqs) =>
        calls.read(() => [...new Set(seqs)].sort((a, b) => a - b).flatMap((seq) => events.find(seq) ?? []))
    }
  }
}
