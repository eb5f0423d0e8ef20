import { copyOfData } from "@petstore/core/adapter-toolkit"
import { type FailureOf, runNow as runCommandNow, Transaction, type Yielded } from "@petstore/core/kernel"
import type { Asker, BeginCommand, EventRecord, EventToAppend, StorageError } from "@petstore/core/ports"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { type AnyRequest, Asked, Claimed, execute, Filled, NewIds, type Program, runNow } from "../../sql/Program.ts"
import type { RowTarget } from "../../sql/RowTarget.ts"
import { tableNamed } from "../../sql/tableText.ts"
import type { Value } from "../../sql/Value.ts"
import type { Connection } from "../connection/Connection.ts"
import type { LatestEvent } from "../events/EventLogHead.ts"
import type { HostDatabase } from "../host/HostDatabase.ts"
import { insertionsInto, writesOf } from "../statements/TableWrites.ts"
import { GroupRows, idsBehind } from "./GroupRows.ts"

const idsByConnection = new WeakMap<object, Map<string, number>>()

/** The last id of each table that is reserved for a row which is written later, by the store that writes with a connection. */
const reservedIds = (connection: object): Map<string, number> => {
  const known = idsByConnection.get(connection)
  if (known !== undefined) return known
  const reserved = new Map<string, number>()
  idsByConnection.set(connection, reserved)
  return reserved
}

/** Ids for rows that are written later, on a connection that has no transaction open. */
export const reserveIds = (
  connection: Connection,
  { name }: { readonly name: string },
  count: number
): Exit.Exit<ReadonlyArray<number>, StorageError> => {
  const { statement, values } = writesOf(tableNamed(name)).lastId
  return Exit.map(connection.execute(statement, values), (greatest = 0) => {
    const reserved = reservedIds(connection)
    const last = Math.max(greatest, reserved.get(name) ?? 0)
    reserved.set(name, last + count)
    return idsBehind(last, count)
  })
}

/** A transaction that is open on a connection. Commands run on its rows, which are written when all of them have ended. */
export class ConnectionTransaction {
  private readonly connection: Connection<HostDatabase>
  private readonly rows: GroupRows
  /** Why it cannot be committed; undefined as long as it can. */
  lost: StorageError | undefined
  /** Whether the database has refused a statement, so that those that it is not about succeed in another transaction. */
  wasRefused = false
  /** Whether anything was written. */
  wrote = false
  /** The latest event of the log; undefined if none was added. */
  latestEvent: LatestEvent | undefined
  /** The greatest id of each table, once it is committed. */
  readonly lastIds: Map<string, number>
  /** The tables that were written to. */
  readonly tables = new Set<string>()
  /** The events that were added; undefined if some are not known. */
  private events: Array<EventToAppend> | undefined = []

  /** `lastIds`: the greatest id of each table, as far as they are known. */
  constructor(connection: Connection<HostDatabase>, lastIds = new Map<string, number>()) {
    this.connection = connection
    this.lastIds = lastIds
    this.rows = new GroupRows(
      (asked) => this.perform(asked),
      () => this.flushed(),
      { lastIds, reserved: reservedIds(connection) }
    )
  }

  /** Marks the transaction as one that cannot be committed. */
  lose(reason: StorageError): void {
    this.lost ??= reason
  }

  /** Runs a command on the rows. {@link flush} writes what it changes, {@link runAlone} at once. */
  runCommand<Y extends Yielded, A>(
    begin: BeginCommand<Y, A>,
    asker: Pick<Asker, "services" | "onStart">
  ): Exit.Exit<A, FailureOf<Y> | StorageError> {
    if (this.lost !== undefined) return Exit.fail(this.lost)
    try {
      const onEnd = asker.onStart()
      this.rows.begin()
      const transaction = new Transaction(this.rows)
      const result = runCommandNow(begin(transaction, asker.services))
      onEnd?.()
      if (Result.isFailure(result)) return Exit.fail(result.failure)
      this.rows.requireFree(transaction.writes)
      this.rows.keep(transaction.writes)
      return Exit.succeed(result.success)
    } catch (thrown) {
      return exitOf(thrown)
    }
  }

  /** Runs a command. If the database refuses what it writes, that alone is rolled back. */
  runAlone<Y extends Yielded, A>(
    begin: BeginCommand<Y, A>,
    asker: Pick<Asker, "services" | "onStart">
  ): Exit.Exit<A, FailureOf<Y> | StorageError> {
    const { connection } = this
    const exit = this.runCommand(begin, asker)
    if (Exit.isFailure(exit) || !this.rows.isChanged) return exit
    connection.run("SAVEPOINT petstore_command")
    const refusal = this.flush()
    if (refusal !== undefined && connection.inTransaction) connection.run("ROLLBACK TO petstore_command")
    if (connection.inTransaction) connection.run("RELEASE petstore_command")
    return refusal === undefined ? exit : Exit.fail(refusal)
  }

  /** Runs a program of the store itself at once. */
  run<A>(program: Program<A>): Exit.Exit<A, StorageError> {
    if (this.lost !== undefined) return Exit.fail(this.lost)
    try {
      this.flushed()
      return Exit.succeed(runNow(program, (request) => this.answer(request)))
    } catch (thrown) {
      return exitOf(thrown)
    } finally {
      this.rows.forget()
    }
  }

  /** Ids for rows that are written later. */
  reserve({ name }: { readonly name: string }, count: number): Exit.Exit<ReadonlyArray<number>, StorageError> {
    if (this.lost !== undefined) return Exit.fail(this.lost)
    try {
      return Exit.succeed(this.rows.reserve(tableNamed(name), count))
    } catch (thrown) {
      return exitOf(thrown)
    }
  }

  /** Writes what commands have changed. Returns the reason if that fails. */
  flush(): StorageError | undefined {
    if (this.rows.isChanged && this.lost === undefined) {
      try {
        const { events, latest, tables } = this.rows.write(this.connection)
        this.wrote = true
        for (const table of tables) this.tables.add(table)
        if (latest !== undefined) {
          this.latestEvent = latest
          this.events?.push(...events)
        }
      } catch (thrown) {
        this.fail(thrown, true)
      }
    }
    return this.lost
  }

  /** The events that were added, as they are in the log; undefined if they must be read there. `areWanted`: whether a watch takes them. */
  addedEvents(areWanted: boolean): ReadonlyArray<EventRecord> | undefined {
    const { events, latestEvent: latest } = this
    if (events?.length === 0) return []
    if (events === undefined || latest === undefined || !areWanted) return undefined
    const before = latest.seq - events.length
    return events.map(
      ({ data, id, subject, timestamp, type }, index) =>
        // Its properties one by one lose the type that ties the data to the type of event.
        ({ seq: before + 1 + index, id, type, subject, timestamp, data: copyOfData(data) }) as EventRecord
    )
  }

  private answer(request: AnyRequest): unknown {
    if (request instanceof Asked) return this.perform(request)
    if (request instanceof Filled) return this.fill(request.target, request.rows)
    // The one writer holds every name as long as its transaction is open.
    if (request instanceof Claimed) return true
    if (request instanceof NewIds) return this.rows.newIds(request.table, request.count)
    throw new Error("The changes of commands are written by flush")
  }

  /** Runs a statement. Throws what it fails with, as an exit. */
  private perform<A>({ statement, values }: Asked<A>): A {
    const writes = statement.use === "write"
    try {
      const result = this.connection.perform(statement, values)
      if (writes) this.wrote = true
      return result
    } catch (thrown) {
      throw Exit.fail(this.fail(thrown, writes))
    }
  }

  private fill(target: RowTarget, rows: ReadonlyArray<ReadonlyArray<Value>>): void {
    for (const { statement, values } of insertionsInto(target, execute)(rows))
      this.perform(new Asked(statement, values))
    this.events = undefined
  }

  /** What an error means. SQLite ends the transaction after some; after others a read fails alone, but a write may be half done. */
  private fail(thrown: unknown, isWrite: boolean): StorageError {
    const error = this.connection.explain(thrown)
    const isOpen = this.connection.inTransaction
    if (isWrite && isOpen) this.wasRefused = true
    if (isWrite || !isOpen) this.lose(error)
    return error
  }

  private flushed(): void {
    const refusal = this.flush()
    if (refusal !== undefined) throw Exit.fail(refusal)
  }
}

/** What a read of the store has failed with, or a defect. */
const exitOf = (thrown: unknown): Exit.Exit<never, StorageError> =>
  Exit.isExit(thrown) ? (thrown as Exit.Exit<never, StorageError>) : Exit.die(thrown)
