import { randomUUID } from "node:crypto"
import { closeSync, openSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { removeAbandonedCopies, removeCopy } from "../backup/abandonedCopies.ts"
import { Connection } from "../connection/Connection.ts"
import { statementError } from "../connection/errors.ts"
import { nodeSqlite } from "../connection/nodeSqlite.ts"
import { Snapshot, type Snapshots } from "../connection/Snapshots.ts"

/** Bytes of a file that are read in place: that takes no longer than to copy the largest files. */
const readInPlace = 64 * 1024 * 1024

/** Pages that are copied before others get their turn. */
const pagesAtATime = 2000

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Some systems do not let go of a file that is open; it is removed again when it is closed. */
const remove = (file: string): void => {
  try {
    removeCopy(file)
  } catch {}
}

/**
 * Snapshots for long reading. A snapshot of a file keeps its write-ahead log from being emptied for as long as it is open;
 * so a large file is copied, which is as fast as the disk, and the copy is read.
 */
export class DetachedSnapshots {
  private readonly snapshots: Snapshots
  private readonly file: string
  private readonly prefix: string
  private readonly largest: number
  /** Open copies, and where their files are. */
  private readonly copies = new Map<Connection, string>()

  constructor(snapshots: Snapshots, file: string, prefix: string, largest = readInPlace) {
    this.snapshots = snapshots
    this.file = file
    this.prefix = prefix
    this.largest = largest
  }

  /** The connection to a copy, if this is one. */
  find(connection: object | undefined): Connection | undefined {
    for (const copy of this.copies.keys()) if (copy === connection) return copy
    return undefined
  }

  /** A snapshot in place where the file is small or there is no room for a copy. */
  readonly begin: Effect.Effect<Snapshot, StorageError> = Effect.suspend(() =>
    sizeOf(this.file) + sizeOf(`${this.file}-wal`) <= this.largest
      ? this.snapshots.begin
      : Effect.catchTag(this.copy, "StorageFull", () => this.snapshots.begin)
  )

  readonly end = (snapshot: Snapshot): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { connection } = snapshot
      if (!this.copies.has(connection)) return this.snapshots.end(snapshot)
      snapshot.end()
      return Effect.sync(() => this.disconnect(connection))
    })

  /** Closes all copies. What still reads from one fails. */
  readonly close: Effect.Effect<void> = Effect.sync(() => {
    for (const connection of this.copies.keys()) this.disconnect(connection)
  })

  /** The copy has no name as soon as it is open, so that nothing of it is left, whatever happens. */
  private get copy(): Effect.Effect<Snapshot, StorageError> {
    const target = `${this.file}.${randomUUID()}.verify`
    return Effect.acquireUseRelease(
      this.snapshots.begin,
      ({ connection }) =>
        Effect.tryPromise({
          try: async () => {
            removeAbandonedCopies(dirname(target))
            closeSync(openSync(target, "wx", 0o600))
            await nodeSqlite().backup(connection.database, target, { rate: pagesAtATime })
          },
          catch: statementError
        }),
      (snapshot) => this.snapshots.end(snapshot)
    ).pipe(
      Effect.andThen(Effect.try({ try: () => this.open(target), catch: statementError })),
      Effect.ensuring(Effect.sync(() => remove(target))),
      Effect.uninterruptible
    )
  }

  private open(target: string): Snapshot {
    const { DatabaseSync } = nodeSqlite()
    const database = new DatabaseSync(target)
    try {
      // Alone with the file, SQLite needs no other files beside it.
      database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get()
    } catch (cause) {
      database.close()
      throw cause
    }
    const connection = new Connection(database, { prefix: this.prefix })
    this.copies.set(connection, target)
    return new Snapshot(connection)
  }

  private disconnect(connection: Connection): void {
    const target = this.copies.get(connection)
    this.copies.delete(connection)
    if (connection.database.isOpen) connection.database.close()
    if (target !== undefined) remove(target)
  }
}
