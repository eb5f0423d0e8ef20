import { existsSync } from "node:fs"
import process from "node:process"
import type { Worker, WorkerOptions } from "node:worker_threads"
import { ShuttingDown, StorageUnavailable } from "@petstore/core/domain"
import type { CheckResult, StorageError, VerificationLimits } from "@petstore/core/ports"
import { VerificationProgress } from "@petstore/core/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { statementError } from "../connection/errors.ts"
import { temporaryFileError } from "./temporaryFiles.ts"
import {
  type CheckedFile,
  lowerPriority,
  type Reply,
  type RowCheckRequest,
  type SqliteErrorInfo
} from "./workerThread.ts"

/** Bytes of a database file above which a worker thread, which takes some 40 ms to start, is worth its time. */
export const defaultWorkerThreshold = 4 * 1024 * 1024

type Row = Readonly<Record<string, unknown>>

// A text rather than a file of its own, so that bundlers have nothing to find. It reads one committed state.
const source = () => `
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
;(${lowerPriority})()
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
      parentPort.postMessage({ part: rows })
      rows = []
    }
  }
  parentPort.postMessage({ part: rows })
}))
`

const errorOf = ({ message, ...info }: SqliteErrorInfo): Error => Object.assign(new Error(message), info)

/**
 * A connection in a worker thread, for what would block the event loop for long. It takes statements, or what the program of
 * the thread takes, and gives their rows, or the parts of its result.
 */
export class WorkerConnection<Request = string, Part = ReadonlyArray<Row>> {
  private readonly worker: Worker
  private readonly exited: Promise<void>
  /** Why it runs no more statements. */
  private endReason: StorageError | undefined
  private onReply: (reply: Reply<Part>) => void = () => {}

  constructor(worker: Worker) {
    this.worker = worker
    worker.on("message", (reply: Reply<Part>) => this.onReply(reply))
    worker.on("error", (cause) => this.end(cause))
    this.exited = new Promise((resolve) => {
      worker.once("exit", (code) => {
        this.end(new Error(`it exited with code ${code}`))
        resolve()
      })
    })
  }

  /** Completes when the connection is open, or fails with the error of SQLite. */
  readonly opened: Effect.Effect<void, unknown> = Effect.suspend(() =>
    this.reply(
      () => {},
      () => {}
    )
  )

  /** Runs a statement that reads, and gives its rows to `onPart` in batches. Fails with the error of SQLite. */
  run(
    request: Request,
    onPart: (part: Part) => void,
    onShare: (share: number) => void = () => {}
  ): Effect.Effect<void, unknown> {
    return Effect.suspend(() => {
      this.worker.postMessage(request)
      return this.reply(onPart, onShare)
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
  private reply(onPart: (part: Part) => void, onShare: (share: number) => void): Effect.Effect<void, unknown> {
    return Effect.callback((resume) => {
      if (this.endReason !== undefined) return resume(Exit.fail(this.endReason))
      this.onReply = (reply) => {
        if ("part" in reply) onPart(reply.part)
        else if ("share" in reply) onShare(reply.share)
        else if ("defect" in reply) resume(Exit.die(new Error(reply.defect)))
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

/** What checks all rows of a file in a thread. */
export type RowChecker = WorkerConnection<RowCheckRequest, ReadonlyArray<CheckResult>>

/** Opens connections in worker threads for one store. */
export class WorkerConnections {
  private readonly open = new Set<{ readonly close: Effect.Effect<void> }>()
  private closed = false

  /** Connects to a file. Returns undefined if this runtime starts no threads. The caller closes the connection. */
  connect(file: string): Effect.Effect<WorkerConnection | undefined, StorageError> {
    return this.openIn(() => startThread(source(), { eval: true, workerData: file, name: "petstore inspection" }))
  }

  /** The same with a program that checks rows. Returns undefined also if a bundler has left that program out. */
  connectRowChecker(file: string, prefix: string): Effect.Effect<RowChecker | undefined, StorageError> {
    const start = () => startProgram({ file, prefix } satisfies CheckedFile)
    return Effect.catchTag(this.openIn<RowCheckRequest, ReadonlyArray<CheckResult>>(start), "StorageUnavailable", () =>
      Effect.succeed(undefined)
    )
  }

  /** Closes all connections. Their statements fail with `ShuttingDown`. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.closed = true
    return Effect.forEach([...this.open], (connection) => connection.close, { concurrency: "unbounded", discard: true })
  })

  private openIn<Request, Part>(
    start: () => Worker | undefined
  ): Effect.Effect<WorkerConnection<Request, Part> | undefined, StorageError> {
    return Effect.suspend(() => {
      if (this.closed) return Effect.fail(new ShuttingDown({}))
      const worker = start()
      if (worker === undefined) return Effect.succeed(undefined)
      const connection = new WorkerConnection<Request, Part>(worker)
      this.open.add(connection)
      worker.once("exit", () => this.open.delete(connection))
      // Callers connect where nothing interrupts them, but need not wait for a thread that is about to end.
      return Effect.interruptible(connection.opened).pipe(
        Effect.mapError(statementError),
        Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : connection.closeAfter(exit))),
        Effect.as(connection)
      )
    })
  }
}

/** Checks the rows of the file of a checker by all rules. */
export const checkRowsIn = (
  checker: RowChecker,
  limits: VerificationLimits
): Effect.Effect<ReadonlyArray<CheckResult>, StorageError> =>
  Effect.flatMap(Effect.all([VerificationProgress, Clock.currentTimeMillis]), ([onShare, now]) => {
    let results: ReadonlyArray<CheckResult> = []
    const take = (part: ReadonlyArray<CheckResult>) => {
      results = part
    }
    return checker.run({ limits, now }, take, onShare).pipe(
      // The only file that the thread writes to is a temporary one.
      Effect.mapError(temporaryFileError),
      Effect.map(() => results)
    )
  })

/** Starts a thread with a connection. Flags of the process could make it load other code; undefined if threads are forbidden. */
const startThread = (program: string | URL, options: WorkerOptions): Worker | undefined => {
  const threads = process.getBuiltinModule?.("node:worker_threads")
  if (threads === undefined) return undefined
  try {
    return new threads.Worker(program, { execArgv: [], ...options })
  } catch {
    return undefined
  }
}

/** Megabytes. With three times as many, which is the default of V8, more garbage grows old: the thread takes 100 MB more, and no less time. */
const youngGeneration = 16

/** Starts the program that checks rows, which is beside this module unless a bundler has moved it. */
const startProgram = (workerData: CheckedFile): Worker | undefined => {
  const here: unknown = import.meta.url
  if (typeof here !== "string" || !here.startsWith("file:")) return undefined
  const isSource = here.endsWith(".ts")
  const program = new URL(isSource ? "./checkRowsInThread.ts" : "./checkRowsInThread.js", here)
  if (!existsSync(program)) return undefined
  const execArgv = isSource ? ["--conditions=@petstore/source"] : []
  const resourceLimits = { maxYoungGenerationSizeMb: youngGeneration }
  return startThread(program, { execArgv, resourceLimits, workerData, name: "petstore verification" })
}
