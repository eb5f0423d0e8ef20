import { resolve } from "node:path"
import * as Sql from "@petstore/adapters/sql"
import * as Toolkit from "@petstore/core/adapter-toolkit"
import * as Ports from "@petstore/core/ports"
import { Context, Effect, Layer, type Scope, Semaphore } from "effect"
import { attempt } from "./errors.ts"
import { LibsqlDatabase } from "./LibsqlDatabase.ts"
import { LibsqlSql } from "./LibsqlSql.ts"
import { LibsqlTransaction } from "./LibsqlTransaction.ts"

/** Snapshots that are open at a time: each has a connection, and the client has at most 20. */
const mostSnapshots = 10

const events = new Sql.EventStatements()
const openRows = new Sql.OpenRows(Sql.sqliteRanges, events)

/** A store on an open database, until the scope closes. */
export const openStore = (database: LibsqlDatabase): Effect.Effect<Ports.Storage["Service"], never, Scope.Scope> => {
  const { begin, commits, readers, turns } = database
  const sql = new LibsqlSql(readers)
  const snapshots = Semaphore.makeUnsafe(mostSnapshots)
  const counts = new Toolkit.TransactionCounts()

  /** Runs a program as a transaction. The next one begins when this one has ended. */
  const alone = <A, E>(
    context: Context.Context<never>,
    program: () => Sql.Program<A, E>
  ): Effect.Effect<A, E | Ports.StorageError> => {
    const committed = () => {
      counts.commit(1)
      Toolkit.describeCommit(context, 1)
      commits.notify()
    }
    const run = Effect.flatMap(attempt(begin), (opened) =>
      Effect.flatten(Effect.promise(() => new LibsqlTransaction(database, opened).run(program(), committed)))
    )
    const counted = sql.whileOpen(run).pipe(
      Effect.onExit((exit) => Effect.sync(() => counts.settled(exit))),
      Effect.ensuring(turns.release(1))
    )
    return Effect.uninterruptibleMask((restore) => Effect.andThen(restore(turns.take(1)), counted))
  }

  const transact: Sql.Transact = (program) => Effect.withFiber(({ context }) => alone(context, program))

  const run: Ports.RunCommand = (begin) =>
    Effect.withFiber(({ context }) =>
      alone(context, () => {
        Context.get(context, Ports.OnTransactionStart)()
        return openRows.run(context, begin)
      })
    )

  const snapshot = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E | Ports.StorageError, R> =>
    Effect.contextWith((context: Context.Context<R>): Effect.Effect<A, E | Ports.StorageError, R> => {
      if (sql.snapshots.find(context) !== undefined) return body
      const reading = Effect.acquireUseRelease(
        attempt(() => readers.transaction("read")),
        (transaction) => sql.snapshots.provide(transaction, body),
        (transaction) => Effect.sync(() => transaction.close())
      )
      return snapshots.withPermit(sql.whileOpen(reading))
    })

  const store: Ports.Storage["Service"] = {
    run,
    reserve: (table, count) => transact(() => Sql.reserveIds(table, count, database.reserved)),
    snapshot,
    watch: (notify, options) => sql.whileOpen(commits.watch(notify, options)),
    ready: transact(Sql.sqliteWriteCheck),
    activity: counts,
    inspect: sql.read(Sql.sqliteProblems),
    backup: (file) =>
      sql.whileOpen(attempt(async () => void (await readers.execute("VACUUM INTO ?", [resolve(file)])))),
    restore: Sql.restore(sql, transact, {}),
    ...Sql.rows(sql, Sql.sqliteRanges, events.rows(sql))
  }
  // What has begun ends first: to take every permit waits for it.
  const close = Effect.suspend(() => {
    sql.isClosed = true
    return Effect.andThen(turns.withPermit(Effect.void), snapshots.withPermits(mostSnapshots)(Effect.void))
  })
  return Effect.acquireRelease(Effect.succeed(store), () => close)
}

const databaseOf = Toolkit.sharedDatabase({ open: LibsqlDatabase.open, close: async (database) => database.close() })

/** A petstore in one file of libSQL, which several stores and processes may share. */
export const libsql = (file: string): Ports.StorageAdapter => ({
  name: "libsql",
  layer: Layer.effect(Ports.Storage, Effect.flatMap(databaseOf(resolve(file)), openStore))
})
