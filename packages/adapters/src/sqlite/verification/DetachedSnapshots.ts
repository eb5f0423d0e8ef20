import { randomUUID } from "node:crypto"
import { closeSync, openSync } from "node:fs"
import { dirname } from "node:path"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { removeAbandonedCopies, removeCopy } from "../backup/abandonedCopies.ts"
import { Connection, nodeSqlite } from "../connection/Connection.ts"
import { statementError } from "../connection/errors.ts"
import { Snapshot, type Snapshots } from "../connection/Snapshots.ts"
import type { RowChecker, WorkerConnection, WorkerConnections } from "./WorkerConnection.ts"

/** Bytes of a file that is read in place: this takes no longer than to copy the largest files. */
const defaultCopyThreshold = 64 * 1024 * 1024

/** Pages to copy before other tasks of the event loop run. */
const pagesAtATime = 2000

/** A copy of the file that is open. */
interface Copy {
  readonly path: string
  readonly connection: Connection
  /** A connection to the copy in a worker thread, if this runtime has threads. */
  readonly worker: WorkerConnection | undefined
  /** What checks its rows in another thread, if that can be started. */
  readonly rowChecker: RowChecker | undefined
}

interface DetachedSnapshotsOptions {
  readonly file: string
  readonly prefix: string
  readonly workers: WorkerConnections
  /** Bytes of the database now. */
  readonly size: () => number
  /** Bytes of a file above which a copy is read. */
  readonly copyThreshold?: number | undefined
}

/**
 * Snapshots for reading that takes long. An open snapshot of a file keeps its write-ahead log from being emptied, so a large
 * file is copied, which is as fast as the disk, and the copy is read.
 */
export class DetachedSnapshots {
  private readonly snapshots: Snapshots
  private readonly options: DetachedSnapshotsOptions
  private readonly copies = new Map<Connection, Copy>()

  constructor(snapshots: Snapshots, options: DetachedSnapshotsOptions) {
    this.snapshots = snapshots
    this.options = options
  }

  /** The copy that a snapshot reads, if it reads one. */
  copyOf(snapshot: Snapshot | undefined): Copy | undefined {
    return snapshot === undefined ? undefined : this.copies.get(snapshot.connection)
  }

  /** Begins a snapshot: in place if the file is small, or if there is no room for a copy. */
  readonly begin: Effect.Effect<Snapshot, StorageError> = Effect.suspend(() => {
    const { copyThreshold = defaultCopyThreshold, size } = this.options
    return size() <= copyThreshold
      ? this.snapshots.begin
      : Effect.catchTag(this.copy, "StorageFull", () => this.snapshots.begin)
  })

  readonly end = (snapshot: Snapshot): Effect.Effect<void> =>
    Effect.suspend(() => {
      const copy = this.copyOf(snapshot)
      if (copy === undefined) return this.snapshots.end(snapshot)
      snapshot.end()
      return Effect.sync(() => this.disconnect(copy))
    })

  /** Closes all copies. What still reads from one fails. */
  readonly close: Effect.Effect<void> = Effect.sync(() => {
    for (const copy of this.copies.values()) this.disconnect(copy)
  })

  /** The copy has no name as soon as it is open, so that nothing of it is left even after a crash. */
  private get copy(): Effect.Effect<Snapshot, StorageError> {
    const path = `${this.options.file}.${randomUUID()}.verify`
    return Effect.acquireUseRelease(
      this.snapshots.begin,
      ({ connection }) =>
        Effect.tryPromise({
          try: async () => {
            removeAbandonedCopies(dirname(path))
            closeSync(openSync(path, "wx", 0o600))
            await nodeSqlite().backup(connection.database, path, { rate: pagesAtATime })
          },
          catch: statementError
        }),
      (snapshot) => this.snapshots.end(snapshot)
    ).pipe(Effect.andThen(this.open(path)), Effect.ensuring(Effect.sync(() => remove(path))), Effect.uninterruptible)
  }

  private open(path: string): Effect.Effect<Snapshot, StorageError> {
    return Effect.gen({ self: this }, function* () {
      const connection = yield* Effect.try({ try: () => this.connect(path), catch: statementError })
      const { prefix, workers } = this.options
      const threads = Effect.all([workers.connect(path), workers.connectRowChecker(path, prefix)], { concurrency: 2 })
      const [worker, rowChecker] = yield* Effect.onError(threads, () => Effect.sync(() => connection.database.close()))
      this.copies.set(connection, { path, connection, worker, rowChecker })
      return new Snapshot(connection)
    })
  }

  private connect(path: string): Connection {
    const { DatabaseSync } = nodeSqlite()
    const database = new DatabaseSync(path)
    try {
      // Outside of WAL mode SQLite needs no other files beside it.
      database.exec(`PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE;
        PRAGMA locking_mode = NORMAL`)
      // The first statement releases the exclusive lock. The transaction shows that the copy is not abandoned.
      const select = "SELECT 1 FROM sqlite_schema LIMIT 1"
      database.exec(`${select}; BEGIN; ${select}`)
    } catch (cause) {
      database.close()
      throw cause
    }
    return new Connection(database, { prefix: this.options.prefix })
  }

  private disconnect({ connection, path, rowChecker, worker }: Copy): void {
    this.copies.delete(connection)
    if (connection.database.isOpen) connection.database.close()
    remove(path)
    const threads = [worker, rowChecker].flatMap((thread) => (thread === undefined ? [] : [thread.close]))
    Effect.runFork(
      Effect.andThen(
        Effect.all(threads, { concurrency: "unbounded" }),
        Effect.sync(() => remove(path))
      )
    )
  }
}

/** Removes a file. Some systems refuse while it is open: it is removed again when it is closed. */
const remove = (path: string): void => {
  try {
    removeCopy(path)
  } catch {}
}
