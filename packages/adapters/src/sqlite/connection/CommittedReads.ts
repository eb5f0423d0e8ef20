// Real ones if a test replaces the global timers: what is held here must end.
import { setImmediate } from "node:timers"
import { asking, type StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { OpenSnapshots } from "../../sql/OpenSnapshots.ts"
import { type AnyRequest, Asked, type Program, runProgram, type Statement } from "../../sql/Program.ts"
import type { Sql } from "../../sql/Sql.ts"
import type { Value } from "../../sql/Value.ts"
import type { HostStatement } from "../host/HostDatabase.ts"
import { Connection, type StatementRunner } from "./Connection.ts"
import type { DatabaseFiles } from "./DatabaseFiles.ts"
import { requestError } from "./errors.ts"
import type { Snapshot } from "./Snapshots.ts"

/** Requests that share one lock, if the event loop does not turn before. */
const mostRequests = 1024

/**
 * Runs statements that read, outside of transactions and snapshots: each reads what is committed when it runs.
 *
 * They run on the writing connection, which has the pages of its own commits in its cache; another one drops its cache at each
 * commit. While a transaction is open on it, that of a group whose code calls the store again, they run on the reading connection.
 * So do they if files were lost or damaged: a cache would hide that from them.
 *
 * Most of a short read is to take and release the lock of a read transaction, which is one of the file for all connections of
 * a process. So while the event loop handles requests that have arrived, the reading connection holds that lock: the reads on the
 * other one find it taken, and still see every commit. So it does for transactions of an app. Its other calls often read once in a turn,
 * and would pay more for that than they save.
 */
export class CommittedReads implements StatementRunner {
  private readonly writer: Connection
  private readonly reader: Connection
  private readonly files: DatabaseFiles
  private readonly begin: HostStatement
  private readonly lock: HostStatement
  private readonly end: HostStatement
  private requests = 0
  private isHeld = false
  private isEndScheduled = false

  /** `reader`: a connection that nothing else reads rows with. */
  constructor(writer: Connection, reader: Connection, files: DatabaseFiles) {
    this.writer = new Connection(writer.database, { prefix: writer.prefix, explain: requestError })
    this.reader = reader
    this.files = files
    this.begin = reader.prepare("BEGIN")
    // The transaction takes the lock with its first read.
    this.lock = reader.prepare("PRAGMA data_version")
    this.end = reader.prepare("END")
  }

  execute<A>(statement: Statement<A>, values: ReadonlyArray<Value>): Effect.Effect<A, StorageError> {
    try {
      let connection = this.writer
      if (connection.inTransaction || this.files.areLost) {
        this.release()
        connection = this.reader
      }
      return Exit.succeed(connection.perform(statement, values))
    } catch (cause) {
      return Exit.fail(requestError(cause))
    }
  }

  /** A value that changes when a connection other than the writing one commits. It reads no row. Throws. */
  dataVersion(): unknown {
    return this.writer.dataVersion()
  }

  /** A value that is the same as long as nothing was committed, for reads of one turn of the event loop; undefined if that is not known. */
  state(): unknown {
    try {
      return this.files.areLost ? undefined : this.dataVersion()
    } catch {
      return undefined
    }
  }

  /**
   * Lets the reads of this turn of the event loop share a lock, until what waits is handled. It pays for itself if a few requests follow in
   * it.
   */
  shareLock(): void {
    if (this.writer.inTransaction) return
    if (this.isHeld && ++this.requests < mostRequests) return
    this.release()
    this.requests = 0
    try {
      // Not by `run`, which would make an object of what it changed.
      this.begin.get()
      this.isHeld = true
      this.lock.get()
    } catch {
      // The read takes its own lock, or reports what is wrong.
      this.release()
    }
    if (this.isEndScheduled) return
    this.isEndScheduled = true
    setImmediate(this.endTurn)
  }

  /** Releases the lock. It keeps the log from starting again from its beginning, so no commit may come while it is held. */
  readonly release = (): void => {
    if (!this.isHeld) return
    this.isHeld = false
    try {
      if (this.reader.database.isOpen && this.reader.inTransaction) this.end.get()
    } catch {
      // The next transaction of this connection reports what is wrong.
    }
  }

  private readonly endTurn = (): void => {
    this.isEndScheduled = false
    this.release()
  }
}

/** What reads outside of transactions is asked for nothing but statements. */
const executed =
  (runner: StatementRunner) =>
  (request: AnyRequest): Effect.Effect<unknown, StorageError> =>
    request instanceof Asked
      ? runner.execute(request.statement, request.values)
      : Effect.die(new Error("Writing needs a transaction"))

/** Nearly all reads are one statement. */
const runOn = <A>(runner: StatementRunner, program: Program<A>): Effect.Effect<A, StorageError> =>
  program instanceof Asked ? runner.execute(program.statement, program.values) : runProgram(program, executed(runner))

/** Runs each read of a store where its fiber is: in the snapshot, else by `reader` on what is committed. */
export class SqliteSql implements Sql {
  readonly snapshots = new OpenSnapshots<Snapshot>()
  private readonly reads: Pick<CommittedReads, "execute" | "shareLock">

  constructor(reads: Pick<CommittedReads, "execute" | "shareLock">) {
    this.reads = reads
  }

  readonly read: Sql["read"] = (program) =>
    asking(({ readsOften, services }) => {
      const snapshot = this.snapshots.find(services)
      if (snapshot === undefined && readsOften === true) this.reads.shareLock()
      return runOn(snapshot ?? this.reads, program())
    })
}
