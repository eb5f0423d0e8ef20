import process from "node:process"
import type { Worker } from "node:worker_threads"
import { ShuttingDown, StorageUnavailable } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { statementError } from "../connection/errors.ts"

/** Bytes of a database file above which a worker thread, which takes some 40 ms to start, is worth its time. */
export const defaultWorkerThreshold = 16 * 1024 * 1024

type Row = Readonly<Record<string, unknown>>

/** Properties of an error of SQLite, which a message to another thread would lose. */
interface SqliteErrorInfo {
  readonly message: string
  readonly code?: string
  readonly errcode?: number
  readonly errstr?: string
}

type Reply = { readonly rows: ReadonlyArray<Row> } | { readonly error: SqliteErrorInfo } | { readonly done: true }

// A text rather than a file of its own, so that bundlers have nothing to find. It reads one committed state.
const source = `
const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads")
const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
let database
const attempt = (work) => {
  try {
    work()
    parentPort.postMessage({ done: true })
  } catch ({ message, code, errcode, errstr }) {
    parentPort.postMessage({ error: { message, code, errcode, errstr } })
  }
}
attempt(() => {
  database = new DatabaseSync(workerData)
  database.exec("BEGIN")
  database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get()
})
parentPort.on("message", (sql) => attempt(() => {
  const statement = database.prepare(sql)
  statement.setReadBigInts(true)
  let rows = []
  for (const row of statement.iterate()) {
    rows.push({ ...row })
    if (rows.length === 500) {
      parentPort.postMessage({ rows })
      rows = []
    }
  }
  parentPort.postMessage({ rows })
}))
`

const errorOf = ({ message, ...info }: SqliteErrorInfo): Error => Object.assign(new Error(message), info)

/** A connection in a worker thread, for statements that would block the event loop for long. */
export class WorkerConnection {
  private readonly worker: Worker
  private readonly exited: Promise<void>
  /** Why it runs no more statements. */
  private endReason: StorageError | undefined
  private onReply: (reply: Reply) => void = () => {}

  constructor(worker: Worker) {
    this.worker = worker
    worker.on("message", (reply: Reply) => this.onReply(reply))
    worker.on("error", (cause) => this.end(cause))
    this.exited = new Promise((resolve) => {
      worker.once("exit", (code) => {
        this.end(new Error(`it exited with code ${code}`))
        resolve()
      })
    })
  }

  /** Completes when the connection is open, or fails with the error of SQLite. */
  readonly opened: Effect.Effect<void, unknown> = Effect.suspend(() => this.reply(() => {}))

  /** Runs a statement that reads, and gives its rows to `onRows` in batches. Fails with the error of SQLite. */
  run(sql: string, onRows: (rows: ReadonlyArray<Row>) => void): Effect.Effect<void, unknown> {
    return Effect.suspend(() => {
      this.worker.postMessage(sql)
      return this.reply(onRows)
    })
  }

  /** Runs no more statements. Completes when the thread has ended: after the statement that runs, which nothing can stop. */
  readonly close: Effect.Effect<void> = Effect.promise(() => {
    this.endReason ??= new ShuttingDown({})
    void this.worker.terminate()
    return this.exited
  })

  /** Closes it after its use: without waiting if the use was interrupted. */
  closeAfter(exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> {
    return Exit.hasInterrupts(exit) ? Effect.asVoid(Effect.sync(() => Effect.runFork(this.close))) : this.close
  }

  /** Waits until the thread has run the statement. A caller that is interrupted does not wait for it. */
  private reply(onRows: (rows: ReadonlyArray<Row>) => void): Effect.Effect<void, unknown> {
    return Effect.callback((resume) => {
      if (this.endReason !== undefined) return resume(Exit.fail(this.endReason))
      this.onReply = (reply) => {
        if ("rows" in reply) onRows(reply.rows)
        else resume("error" in reply ? Exit.fail(errorOf(reply.error)) : Exit.void)
      }
      this.onEnd = (reason) => resume(Exit.fail(reason))
      return Effect.sync(() => Effect.runFork(this.close))
    })
  }

  private onEnd: (reason: StorageError) => void = () => {}

  private end(cause: Error): void {
    this.endReason ??= new StorageUnavailable(
      {},
      { message: `The worker thread that inspects the file has ended: ${cause.message}`, cause }
    )
    this.onEnd(this.endReason)
  }
}

/** Opens connections in worker threads for one store. */
export class WorkerConnections {
  private readonly open = new Set<WorkerConnection>()
  private closed = false

  /** Connects to a file. Returns undefined if this runtime starts no threads. The caller closes the connection. */
  connect(file: string): Effect.Effect<WorkerConnection | undefined, StorageError> {
    return Effect.suspend(() => {
      if (this.closed) return Effect.fail(new ShuttingDown({}))
      const worker = startWorker(file)
      if (worker === undefined) return Effect.succeed(undefined)
      const connection = new WorkerConnection(worker)
      this.open.add(connection)
      worker.once("exit", () => this.open.delete(connection))
      return connection.opened.pipe(
        Effect.mapError(statementError),
        Effect.tapError(() => connection.close),
        Effect.as(connection)
      )
    })
  }

  /** Closes all connections. Their statements fail with `ShuttingDown`. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.closed = true
    return Effect.forEach([...this.open], (connection) => connection.close, { concurrency: "unbounded", discard: true })
  })
}

/** Starts a thread with a connection. Flags of the process could make it load other code; undefined if threads are forbidden. */
const startWorker = (file: string): Worker | undefined => {
  const threads = process.getBuiltinModule?.("node:worker_threads")
  if (threads === undefined) return undefined
  try {
    return new threads.Worker(source, { eval: true, workerData: file, execArgv: [], name: "petstore inspection" })
  } catch {
    return undefined
  }
}
