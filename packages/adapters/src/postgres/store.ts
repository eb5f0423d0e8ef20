import { CommitNotifier } from "@petstore/core/adapter-toolkit"
import { ShuttingDown, StorageUnavailable } from "@petstore/core/domain"
import { type OnSchemaStep, SchemaProgress, type Storage, type StorageError } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { Asked, execute as writing } from "../sql/Program.ts"
import { rows } from "../sql/TableStatements.ts"
import { DatabaseClock } from "./commit/DatabaseClock.ts"
import { inTime, Readiness } from "./commit/Readiness.ts"
import { type Look, SchemaCheck } from "./commit/SchemaCheck.ts"
import { Writer } from "./commit/Writer.ts"
import { taking } from "./connection/borrowed.ts"
import { ConnectionPool } from "./connection/ConnectionPool.ts"
import type { ConnectionSource } from "./connection/ConnectionSource.ts"
import { orStorageError, statementError } from "./connection/errors.ts"
import { openingError } from "./connection/openingError.ts"
import type { Parameter, PostgresConnection } from "./connection/PostgresConnection.ts"
import { EventLog } from "./events/EventLog.ts"
import { logEndsOf } from "./events/LogEnds.ts"
import type { HostTransactions } from "./host/HostTransactions.ts"
import { type PostgresOptions, settingsOf } from "./PostgresOptions.ts"
import type { withReplica } from "./replica/withReplica.ts"
import { restoreRows } from "./restore.ts"
import { buildIndexes } from "./schema/buildIndexes.ts"
import { migrate, type Read, readCurrent, requireMigrated } from "./schema/migrate.ts"
import { prepareExpected, schemaDifferences } from "./schema/schemaProblems.ts"
import { buildWordIndex, requireWordIndex } from "./search/wordIndex.ts"
import { wordProblems } from "./search/wordProblems.ts"
import { cachedRows } from "./statements/cachedRows.ts"
import { mergeRanges } from "./statements/mergeRanges.ts"
import { PostgresSql } from "./statements/PostgresSql.ts"
import { Snapshot } from "./statements/Snapshot.ts"
import type { StatementRunner } from "./statements/Statement.ts"
import { inspections, isLoss, problemOf } from "./verification/inspect.ts"

const upsertCheck = writing(
  "INSERT INTO petstore_write_check (id, checked_at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at"
)
const writeCheck = () => new Asked(upsertCheck, [new Date().toISOString()])

/** Where the connections of a store come from, and what it has beside them, as far as there is a server and Node.js. */
interface StoreParts {
  readonly source: Effect.Effect<ConnectionSource, StorageError>
  /** Adds the replica of the options to the reads. */
  readonly withReplica?: typeof withReplica
  /** Opens what runs calls in transactions of the host application. */
  readonly openHostTransactions?: typeof HostTransactions.open
}

/** Opens the connections of a store, on a schema that is migrated, and measures the clock of the database. */
const openPool = Effect.fnUntraced(function* (options: PostgresOptions, parts: StoreParts) {
  const { lockTimeout, maxConnections, migrate: migrates, schema, timeout } = settingsOf(options)
  const source = yield* parts.source
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() => new ConnectionPool(source, maxConnections, lockTimeout, timeout)),
    (opened) => Effect.promise(() => opened.close())
  )
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const clock = new DatabaseClock((problem) => void runFork(Effect.logWarning(problem)))
  const onStep = yield* SchemaProgress
  yield* Effect.mapError(
    orStorageError(() =>
      pool.use(async (connection) => {
        await (migrates ? migrate : requireMigrated)(connection, schema, undefined, onStep)
        await lookBy(schema, clock)((text) => connection.query(text))
      })
    ),
    openingError(source.address)
  )
  return { clock, pool, source }
})

/** Runs reads outside of transactions: on the replica, if there is one. */
const readsOf = (options: PostgresOptions, { withReplica }: StoreParts, pool: ConnectionPool) => {
  const committed: StatementRunner = {
    execute: ({ decode, text }, values) => orStorageError(async () => decode(await pool.read(text, values)))
  }
  return withReplica === undefined ? Effect.succeed(committed) : withReplica(options, pool, committed)
}

/** What may change while a store is open: its schema, and how its clock differs from that of this machine. */
const lookBy =
  (schema: string, clock: DatabaseClock): Look =>
  async (read) => {
    let problem: string | undefined
    await clock.measure(async () => {
      const current = await readCurrent(read, schema)
      problem = current.problem
      return current.millis
    })
    return problem
  }

/** Fails if a newer release has migrated the schema to something that this one cannot work with, or if a clock is wrong. */
const requireCompatible = (look: () => Promise<string | undefined>, clock: DatabaseClock) =>
  Effect.flatMap(orStorageError(look), (problem = clock.problem) =>
    problem === undefined ? Effect.void : new StorageUnavailable({}, { message: problem })
  )

/** Finds what differs in the schema, and rows that break its rules. */
const inspectBy = (pool: ConnectionPool, sql: PostgresSql, schema: string) =>
  // A snapshot has a connection already, and there may be no other.
  Effect.withFiber(({ context }) => {
    const begun = sql.snapshots.find(context)
    const read = (text: string, values: ReadonlyArray<Parameter>) =>
      begun === undefined ? pool.read(text, values) : begun.connection.query(text, values)
    return Effect.gen(function* () {
      const differences = yield* orStorageError(() => schemaDifferences(read, schema))
      // The others read the tables.
      if (differences.some(isLoss)) return differences
      const results = yield* Effect.forEach(inspections(schema), ([text, values]) =>
        orStorageError(() => read(text, values))
      )
      const words = yield* orStorageError(() => wordProblems(read, schema))
      return [...new Set([...differences, ...words, ...results.flatMap((result) => result.rows.map(problemOf))])]
    })
  })

/** Opens what runs calls in transactions of the host application, where there are any. */
const openHost = (
  options: PostgresOptions,
  { openHostTransactions }: StoreParts,
  sql: PostgresSql,
  pool: ConnectionPool,
  schemaCheck: SchemaCheck,
  onWrite: () => void
): Effect.Effect<HostTransactions | undefined, StorageError> => {
  const { lockTimeout, schema, timeout } = settingsOf(options)
  const settings = { schema, schemaCheck, lockTimeout, timeout, onWrite }
  return openHostTransactions === undefined ? Effect.undefined : openHostTransactions(sql, pool, settings)
}

/** Builds indexes, or fails if there are some to build and it may not. */
const indexing = (
  pool: ConnectionPool,
  { address }: ConnectionSource,
  schema: string,
  mayBuild: boolean
): Pick<Storage["Service"], "buildIndexes" | "indexWords"> => {
  const change = (work: (connection: PostgresConnection, onStep: OnSchemaStep) => Promise<void>) =>
    Effect.flatMap(SchemaProgress, (onStep) =>
      orStorageError(() => pool.use((connection) => work(connection, onStep)))
    ).pipe(Effect.mapError(openingError(address)))
  return {
    indexWords: change((connection, onStep) =>
      (mayBuild ? buildWordIndex : requireWordIndex)(connection, schema, onStep)
    ),
    buildIndexes: (indexes, { dropsOthers = false } = {}) =>
      change((connection, onStep) => buildIndexes(connection, schema, indexes, { dropsOthers, mayBuild }, onStep))
  }
}

/** Runs a body in a snapshot, unless it is in one. */
const inSnapshot = <A, E, R>(
  pool: ConnectionPool,
  sql: PostgresSql,
  isClosed: () => boolean,
  body: Effect.Effect<A, E, R>
) =>
  Effect.contextWith((context: Context.Context<R>): Effect.Effect<A, E | StorageError, R> => {
    if (sql.snapshots.find(context) !== undefined) return body
    if (isClosed()) return Exit.fail(new ShuttingDown({}))
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(taking(pool)), (connection) =>
        Effect.acquireUseRelease(
          Snapshot.begin(pool, connection),
          (begun) => restore(sql.snapshots.provide(begun, body)),
          (begun) => begun.end(pool)
        )
      )
    )
  })

/** Opens a store. When the scope closes, transactions that run finish and later ones fail. */
export const openStore = Effect.fnUntraced(function* (
  options: PostgresOptions,
  parts: StoreParts
): Effect.fn.Return<Storage["Service"], StorageError, Scope.Scope> {
  const { migrate: migrates, schema, timeout } = settingsOf(options)
  const { clock, pool, source } = yield* openPool(options, parts)
  const reads = yield* readsOf(options, parts, pool)
  const sql = new PostgresSql(schema, reads, (writes) => cached.onWrite(writes))
  const log: EventLog = new EventLog(
    schema,
    sql,
    pool,
    timeout,
    { onNumbered: () => watch.notify(), mayWrite: () => schemaCheck.allows() },
    options.pool === undefined ? undefined : logEndsOf(options.pool)
  )
  const watch = new CommitNotifier({ read: () => log.version, errorOf: statementError })
  const readiness: Readiness = new Readiness(Effect.suspend(() => writer.transact(writeCheck)))
  const committed = (numbered: boolean): void => {
    readiness.durable()
    if (numbered) watch.notify()
    else log.kick()
  }
  const look = lookBy(schema, clock)
  const read: Read = (text) => pool.read(text, [])
  const schemaCheck: SchemaCheck = new SchemaCheck(look, read, () => clock.wasSet)
  const writer: Writer = new Writer(options, pool, sql, schemaCheck, { committed, failed: readiness.failed })
  const cached = cachedRows(rows(sql, mergeRanges, log.rows))
  const hostTransactions = yield* Effect.mapError(
    openHost(options, parts, sql, pool, schemaCheck, log.expect),
    openingError(source.address)
  )
  let closed = false
  yield* Effect.addFinalizer(() => {
    closed = true
    return Effect.all([writer.close, hostTransactions?.close ?? Effect.void, watch.close, log.close], { discard: true })
  })
  const snapshot: Storage["Service"]["snapshot"] = (body) => inSnapshot(pool, sql, () => closed, body)
  const prepareInspection = orStorageError(() => pool.use(prepareExpected))

  return {
    run: writer.run,
    reserve: writer.reserve,
    ...(hostTransactions === undefined ? {} : { join: hostTransactions.join }),
    snapshot,
    // What the schema should be can be found out only outside of a snapshot.
    // What is pending is sorted again for each page of a snapshot, so there should be little of it.
    detachedSnapshot: (body) =>
      Effect.andThen(Effect.andThen(prepareInspection, Effect.ignore(log.rows.latest)), snapshot(body)),
    watch: (notify, options) =>
      Effect.suspend(() => (closed ? Exit.fail(new ShuttingDown({})) : watch.watch(notify, options))),
    ready: Effect.suspend(() =>
      closed
        ? Exit.fail(new ShuttingDown({}))
        : inTime(
            Effect.andThen(
              readiness.check,
              requireCompatible(() => look(read), clock)
            )
          )
    ),
    activity: writer.counts,
    clockOffset: clock.ahead,
    inspect: inspectBy(pool, sql, schema),
    ...indexing(pool, source, schema, migrates),
    backup: undefined,
    restore: restoreRows(schema, sql, writer.transact, log.rows.latest),
    ...cached.rows
  }
})
