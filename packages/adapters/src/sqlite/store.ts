import { resolve } from "node:path"
import { CommitNotifier } from "@petstore/core/adapter-toolkit"
import { InternalError, StorageFull, StorageUnavailable, valuesOf } from "@petstore/core/domain"
import {
  ask,
  asking,
  Direct,
  direct,
  type OnSchemaStep,
  SchemaProgress,
  type Storage,
  type StorageError
} from "@petstore/core/ports"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { OpenSnapshots } from "../sql/OpenSnapshots.ts"
import { restore } from "../sql/restore/restore.ts"
import type { Transact } from "../sql/Sql.ts"
import { backup } from "./backup/backup.ts"
import { reserveIds } from "./commit/ConnectionTransaction.ts"
import { DurabilityMonitor } from "./commit/DurabilityMonitor.ts"
import { hasDiskSpace } from "./commit/diskSpace.ts"
import { GroupCommit } from "./commit/GroupCommit.ts"
import { Readiness, writeCheck } from "./commit/Readiness.ts"
import { retryByTimer, retryWhileBusy } from "./connection/busyRetry.ts"
import { CommittedReads, SqliteSql } from "./connection/CommittedReads.ts"
import type { Connection } from "./connection/Connection.ts"
import { DatabaseFiles } from "./connection/DatabaseFiles.ts"
import { isUnwritten, requestError, statementError } from "./connection/errors.ts"
import { filePath } from "./connection/filePath.ts"
import { openingError, openReader, openWriter, requireWholeFiles } from "./connection/open.ts"
import { type Snapshot, Snapshots } from "./connection/Snapshots.ts"
import { compactEvents } from "./events/compactEvents.ts"
import { EventLogHead, headPath, headProblem, readHead } from "./events/EventLogHead.ts"
import { acceptCalls } from "./host/HostCall.ts"
import { HostTransactions } from "./host/HostTransactions.ts"
import { guestError } from "./host/hostErrors.ts"
import { type StoreOptions, sqliteOptions } from "./SqliteOptions.ts"
import { buildIndexes } from "./schema/buildIndexes.ts"
import { buildWordIndex, requireWordIndex } from "./search/wordIndex.ts"
import { cachedRows, sqliteRows } from "./statements/cachedRows.ts"
import { inspect } from "./verification/inspect.ts"

/** An open store, and the connection that it writes with. */
interface OpenStore {
  readonly store: Storage["Service"]
  readonly writer: Connection
}

/** Connections that stay open until the process ends. */
const leftOpen: Array<Connection> = []

/** A connection for snapshots. Throws if the file was replaced: its content does not belong to the log that is open. */
const openSnapshotReader = (files: DatabaseFiles, file: string, prefix: string): Connection => {
  const problem = files.problem()
  if (problem !== undefined) throw new StorageUnavailable({}, { cause: problem })
  return openReader(file, { prefix })
}

/** Runs a body that needs no fiber in a snapshot. */
const inSnapshot = <A, E>(
  snapshots: Snapshots,
  open: OpenSnapshots<Snapshot>,
  body: Direct<A, E>
): Direct<A, E | StorageError> =>
  direct((asker, done) => {
    const begun = snapshots.take()
    if (Exit.isFailure(begun)) return ask(Exit.failCause(begun.cause), asker, done)
    const { principal } = asker
    const services = open.added(begun.value, asker.services)
    return ask(body, { principal, services, onStart: () => asker.onStart() }, (exit) => {
      snapshots.release(begun.value)
      done(exit)
    })
  })

/**
 * Runs a body that needs no fiber on what is committed, and again in a snapshot if something was committed meanwhile. The connection of a
 * snapshot has neither its rows nor its pages in a cache.
 */
const ofOneState = <A, E>(
  reads: CommittedReads,
  snapshots: Snapshots,
  open: OpenSnapshots<Snapshot>,
  body: Direct<A, E>
): Direct<A, E | StorageError> =>
  asking((asker) => {
    if (open.find(asker.services) !== undefined) return body
    const before = reads.state()
    if (before === undefined) return inSnapshot(snapshots, open, body)
    let outcome: Exit.Exit<A, E> | undefined
    const cancel = ask(body, asker, (exit) => {
      outcome = exit
    })
    if (outcome !== undefined && reads.state() === before) return outcome
    cancel()
    return inSnapshot(snapshots, open, body)
  })

const within = <A, E, R>(snapshots: Snapshots, open: OpenSnapshots<Snapshot>, body: Effect.Effect<A, E, R>) =>
  Effect.contextWith((context: Context.Context<R>): Effect.Effect<A, E | StorageError, R> => {
    if (open.find(context) !== undefined) return body
    return Effect.acquireUseRelease(snapshots.begin, (snapshot) => open.provide(snapshot, body), snapshots.end)
  })

/** Finds committed events that are gone. */
const inspectHead = (writer: Connection, file: string, prefix: string) =>
  Effect.try({
    try: () => {
      const { latest } = readHead(headPath(file, prefix))
      return latest === undefined ? undefined : headProblem(writer, latest)
    },
    catch: statementError
  })

/** Fails if a connection cannot read. */
const readable = (...connections: ReadonlyArray<Connection>) =>
  Effect.try({ try: () => connections.map((connection) => connection.dataVersion()), catch: statementError }).pipe(
    Effect.catchTag("InternalError", ({ cause }) => Effect.fail(new StorageUnavailable({}, { cause })))
  )

/** Opens what a store has of its file. When the scope closes, all of it closes in the opposite order. */
const openFiles = Effect.fnUntraced(function* (file: string, lockTimeout: number, options: StoreOptions) {
  const { host } = options
  const { migrate, tablePrefix: prefix } = valuesOf(sqliteOptions, options)
  const explain = (cause: unknown): StorageError =>
    isUnwritten(cause) && !hasDiskSpace(file)
      ? new StorageFull({}, { cause })
      : guestError(cause, host?.isOpen === true && host.isTransaction)
  const opening = <A>(open: () => A) => Effect.try({ try: open, catch: (cause) => openingError(file, cause) })

  const unreadHead = yield* requireWholeFiles(file, lockTimeout, prefix)
  if (unreadHead !== undefined) {
    yield* Effect.logWarning(`Whether events of ${file} are missing was not checked: ${unreadHead}`)
  }
  // The last connection to close, the writer, moves the log into the file.
  const writer = yield* Effect.acquireRelease(
    openWriter(file, lockTimeout, migrate, { explain, prefix }),
    ({ database }) => Effect.sync(() => database.isOpen && database.close())
  )
  let areLost = false
  const reader = yield* Effect.acquireRelease(
    opening(() => openReader(file, { explain: requestError, prefix })),
    (opened) =>
      Effect.sync(() => {
        // After a loss, the connection of the app must not be the last one to close either: it would move the log, too.
        if (areLost && host?.isOpen === true) leftOpen.push(opened)
        else opened.database.close()
      })
  )
  // The first read opens the log. From then on the connection can read, even if the file at the path is replaced.
  yield* opening(() => reader.dataVersion())
  const files = yield* Effect.acquireRelease(
    opening(() => new DatabaseFiles(file, writer, reader)),
    (opened) =>
      Effect.sync(() => {
        opened.close()
        areLost = opened.areLost
      })
  )
  const head = yield* Effect.acquireRelease(
    opening(() => new EventLogHead(file, prefix)),
    (opened) => Effect.sync(() => opened.close())
  )
  const reads = yield* Effect.acquireRelease(
    opening(() => new CommittedReads(writer, reader, files)),
    ({ release }) => Effect.sync(release)
  )
  return { writer, reader, reads, files, head }
})

/** Changes the schema, after other connections that write. */
const schemaChange = (file: string, lockTimeout: number) => (change: (onStep: OnSchemaStep) => void) =>
  Effect.flatMap(SchemaProgress, (onStep) =>
    retryWhileBusy(
      lockTimeout,
      (cause) => openingError(file, cause),
      retryByTimer,
      () => change(onStep)
    )
  )

/** Opens a store. When the scope closes, queued transactions finish and later ones fail. */
export const openStore = Effect.fnUntraced(function* (
  options: StoreOptions
): Effect.fn.Return<OpenStore, StorageError, Scope.Scope> {
  const file = yield* Effect.try({
    try: () => filePath(options.file),
    catch: (cause) => new InternalError({}, { message: (cause as Error).message })
  })
  const { host } = options
  const { migrate, tablePrefix: prefix, ...values } = valuesOf(sqliteOptions, options)
  const lockTimeout = Duration.toMillis(values.lockTimeout)
  const { files, head, reader, reads, writer } = yield* openFiles(file, lockTimeout, options)
  const watch = new CommitNotifier({ read: () => writer.dataVersion(), errorOf: statementError })
  const context = yield* Effect.context<never>()
  const log = (entry: Effect.Effect<void>): void => void Effect.runForkWith(context)(entry)
  const monitor = new DurabilityMonitor({
    failing: (reason) => log(Effect.logError(`Nothing can be written to ${file}`, Cause.fail(reason))),
    recovered: () => log(Effect.logInfo(`${file} can be written to again`))
  })
  const sql = new SqliteSql(reads)
  const cached = cachedRows(sqliteRows(sql), reads, sql)
  const commits = new GroupCommit(writer, {
    files,
    head,
    monitor,
    lockTimeout,
    beforeBegin: reads.release,
    onCommit: cached.onCommit,
    watch
  })
  const snapshots = new Snapshots(() => openSnapshotReader(files, file, prefix))
  yield* Effect.addFinalizer(() => Effect.all([commits.close, snapshots.close, watch.close], { discard: true }))

  if (host !== undefined) acceptCalls(host)
  const hostTransactions = new HostTransactions(reader, files.database, lockTimeout)
  yield* Effect.addFinalizer(() => hostTransactions.close)

  const transact: Transact = (program) => commits.run((group) => group.run(program()))

  const changingSchema = schemaChange(file, lockTimeout)

  const store: Storage["Service"] = {
    run: commits.runCommand,
    // Between transactions, the last id is the one that is committed. Rows of the app's open transaction may have later ones.
    reserve: (table, count) =>
      asking(({ readsOften }) => {
        if (host !== undefined || writer.inTransaction) return commits.run((group) => group.reserve(table, count))
        if (readsOften === true) reads.shareLock()
        return reserveIds(writer, table, count)
      }),
    join: hostTransactions.join,
    snapshot: (body) =>
      body instanceof Direct
        ? ofOneState(reads, snapshots, sql.snapshots, body)
        : within(snapshots, sql.snapshots, body),
    watch: watch.watch,
    ready: Effect.andThen(new Readiness(commits, monitor, file, transact(writeCheck)).check, readable(writer, reader)),
    activity: commits.counts,
    inspect: Effect.zipWith(inspect(writer), inspectHead(writer, file, prefix), (problems, problem) =>
      problem === undefined ? problems : [...problems, problem]
    ),
    indexWords: changingSchema((onStep) => (migrate ? buildWordIndex : requireWordIndex)(writer, onStep)),
    buildIndexes: (indexes, { dropsOthers = false } = {}) =>
      changingSchema((onStep) => buildIndexes(writer, indexes, { dropsOthers, mayBuild: migrate }, onStep)),
    backup: (target) => backup(snapshots, resolve(target)),
    // The next id is one more than the greatest of a table.
    restore: restore(sql, transact, { eventFormat: compactEvents }),
    ...cached.rows
  }
  return { store, writer }
})
