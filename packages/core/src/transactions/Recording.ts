import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import { StorageBusy } from "../domain/errors/ServiceErrors.ts"
import { type Command, type FailureOf, fail, type Yielded } from "../engine/Command.ts"
import { type Query, query, type Table, type Value } from "../engine/Table.ts"
import { pending, type Reading, type Source, Transaction, type Write } from "../engine/Transaction.ts"
import { runByCalls } from "../ports/runByCalls.ts"
import type { BeginCommand, RunCommand, Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { schema } from "../tables/index.ts"

type Key = number | string
type AnyTable = Table<object, Key>

// Tables are known by their names, which types cannot follow.
const tables: ReadonlyArray<AnyTable> = Object.values(schema).map((table) => table as unknown as AnyTable)

/** The table of this name, with all of its columns. */
export const wholeTable = (name: string): AnyTable => {
  const found = tables.find((table) => table.name === name)
  if (found === undefined) throw new Error(`There is no table ${name}`)
  return found
}

/** A query of whole rows. */
export const wholeQuery = ({ isExclusive, isReversed, name, ranges, table }: Query<never, never, never>) =>
  query(wholeTable(table.name), name, ranges, { isExclusive, isReversed })

/** A row as a transaction has first seen it; undefined if there was none. */
interface SeenRow {
  readonly table: AnyTable
  readonly key: Key
  readonly row: object | undefined
  reading: Reading
}

/** The rows of a query as a transaction has seen them. */
interface SeenQuery {
  readonly query: Query<object, never, Key>
  readonly argument: never
  readonly limit: number
  readonly keys: ReadonlyArray<Key>
}

const strength: Readonly<Record<Reading, number>> = { find: 0, lockShared: 1, lock: 2 }

const textOf = (value: Value): string => (value instanceof Uint8Array ? value.join() : String(value ?? ""))

const isSame = ({ columns }: AnyTable, one: object | undefined, other: object | undefined): boolean => {
  if (one === undefined || other === undefined) return one === other
  return Object.values(columns).every(({ read }) => textOf(read(one)) === textOf(read(other)))
}

/** The keys of no list. */
const unsteady: ReadonlyArray<Key> = ["a list that has changed"]

/** The order in which transactions lock rows. */
const byLockOrder = (one: SeenRow, other: SeenRow): number => {
  const placeOf = ({ table }: SeenRow): number =>
    (table.lockOrder ?? tables.length) + tables.indexOf(table) / tables.length
  return placeOf(one) - placeOf(other) || (one.key < other.key ? -1 : 1)
}

const changed = (): StorageBusy =>
  new StorageBusy(
    {},
    {
      message: "Something that the transaction has read was changed by another one. Nothing was changed; run it again."
    }
  )

/**
 * A transaction that holds no lock while it is open. Its commands see the rows of the store, and what the transaction has written in
 * their place. It keeps what they have read and written; {@link Recording.settle} checks the one and writes the other.
 */
export class Recording implements Source {
  readonly storesNew = false
  private readonly store: Storage["Service"]
  private readonly transaction = new Transaction(this)
  private readonly rows = new Map<string, SeenRow>()
  private readonly queries = new Map<string, SeenQuery>()
  private readonly turns = Semaphore.makeUnsafe(1)
  /** Whether it must not be written. */
  isSpoiled = false
  /** What the running command waits for. */
  private call: Effect.Effect<unknown, StorageError> = Exit.void

  constructor(store: Storage["Service"]) {
    this.store = store
  }

  /** Runs a command. If it fails, nothing of it is kept but what it has read. */
  readonly run: RunCommand = <Y extends Yielded, A>(
    begin: BeginCommand<Y, A>
  ): Effect.Effect<A, FailureOf<Y> | StorageError> => {
    const command = Effect.withFiber<A, FailureOf<Y> | StorageError>(({ context }) => {
      const undo = this.transaction.mark()
      const ran: Effect.Effect<A, FailureOf<Y> | StorageError> = Effect.suspend(() =>
        runByCalls(this.transaction, begin(this.transaction, context), () => this.call, Exit.succeed)
      )
      return Effect.catchCause(
        Effect.onExit(ran, (exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(undo))),
        (cause) => (Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : this.explain(cause))
      )
    })
    return this.turns.withPermit(command)
  }

  /** Returns a function that takes back what is written from now on. */
  mark(): () => void {
    return this.transaction.mark()
  }

  /** Checks that everything is as it was read, with its locks, and writes what the transaction has written. */
  *settle(tx: Transaction): Command<void, StorageBusy> {
    for (const { key, reading, row, table } of [...this.rows.values()].sort(byLockOrder)) {
      const current = reading === "lock" ? yield* tx.lock(table, key) : yield* tx.lockShared(table, key)
      if (!isSame(table, current, row)) return yield* fail(changed())
    }
    for (const { argument, keys, limit, query } of this.queries.values()) {
      const current = yield* tx.all(query, argument, limit)
      if (current.map(query.table.keyOf).join() !== keys.join()) return yield* fail(changed())
    }
    const { writes } = this.transaction
    for (const table of tables) {
      const ids = writes.flatMap((write) => (this.isNew(write, table) ? [write.key] : []))
      if (ids.length > 0 && (yield* tx.findAll(table, ids)).length > 0) return yield* fail(changed())
    }
    for (const write of writes) this.write(tx, write)
  }

  readonly load: Source["load"] = (reading, { name }, key) => {
    const table = wholeTable(name)
    const seen = this.rows.get(`${name} ${key}`)
    if (seen !== undefined) {
      if (strength[reading] > strength[seen.reading]) seen.reading = reading
      return seen.row as never
    }
    return this.wait(this.store.find(table, key), (row) => this.see(table, key, row, reading))
  }

  readonly findAll: Source["findAll"] = ({ name }, keys) => {
    const table = wholeTable(name)
    return this.wait(this.store.findAll(table, keys), (rows) => {
      for (const key of keys) {
        const row = rows.find((one) => table.keyOf(one) === key)
        this.see(table, key, row !== undefined && table.isLive(row) ? row : undefined, "find")
      }
      return rows
    })
  }

  readonly select: Source["select"] = (selected, argument, limit) => {
    const whole = wholeQuery(selected as unknown as Query<never, never, never>)
    return this.wait(this.store.select(whole, argument as never, limit), (rows) => {
      const keys = rows.map(whole.table.keyOf)
      this.seeList({ query: whole, argument: argument as never, limit, keys })
      for (const row of rows) this.see(whole.table, whole.table.keyOf(row), row, "find")
      return rows
    })
  }

  readonly count: Source["count"] = (counted, argument, limit) =>
    this.wait(this.store.count(counted, argument, limit), (count) => count)

  readonly claim: Source["claim"] = () => {
    throw new TypeError("Rows that workers claim cannot be claimed in a transaction")
  }

  // The log only grows: what commands read of it is where it ends now.
  readonly scan: Source["scan"] = (after, limit) => this.wait(this.store.events.scan(after, limit), (events) => events)
  readonly last: Source["last"] = () => this.wait(this.store.events.latest, (seq) => seq)

  readonly insert: Source["insert"] = (table, rowsOf) => {
    const { reserve } = this.store
    if (reserve === undefined)
      throw new TypeError("This storage cannot reserve ids, so that a transaction creates nothing")
    return this.wait(
      reserve(table, rowsOf.length),
      (ids) => rowsOf.map((rowOf, index) => rowOf(ids[index] as number)) as never
    )
  }

  private wait<A>(call: Effect.Effect<A, StorageError>, take: (found: A) => unknown): typeof pending {
    this.call = Effect.map(call, take)
    return pending
  }

  /** Keeps the longest reading of a list. Two that disagree are not that of the end either. */
  private seeList(read: SeenQuery): void {
    const name = `${read.query.name} ${JSON.stringify(read.argument)}`
    const before = this.queries.get(name) ?? read
    const [shorter, longer] = before.limit < read.limit ? [before, read] : [read, before]
    const isSteady = longer.keys.slice(0, shorter.limit).join() === shorter.keys.join()
    this.queries.set(name, isSteady ? longer : { ...longer, keys: unsteady })
  }

  private see(table: AnyTable, key: Key, row: object | undefined, reading: Reading): object | undefined {
    const name = `${table.name} ${key}`
    const seen = this.rows.get(name)
    if (seen === undefined) this.rows.set(name, { table, key, row, reading })
    return row
  }

  /** Whether a write adds a row whose id was reserved. */
  private isNew(write: Write, table: AnyTable): write is Extract<Write, { readonly table: string }> {
    return "table" in write && write.table === table.name && table.generatesIds && write.before === undefined
  }

  private write(tx: Transaction, write: Write): void {
    if ("table" in write) {
      const table = wholeTable(write.table)
      const isLocked = this.rows.get(`${write.table} ${write.key}`)?.reading === "lock"
      if (write.before === undefined && !isLocked) tx.add(table, write.row as object)
      else tx.save(table, write.row as object)
    } else if ("log" in write) tx.append({ name: write.log, rows: [] }, write.rows as ReadonlyArray<never>)
    else if ("remove" in write) tx.remove(wholeTable(write.remove), write.row as object)
    else if ("purge" in write) tx.purge(wholeTable(write.purge), write.before, write.limit)
    else tx.trim(write.trim)
  }

  /** The failure of a command; that of the transaction, if a row is not as it was read: then the command was wrong to fail. */
  private explain<E>(cause: Cause.Cause<E>): Effect.Effect<never, E | StorageError> {
    const isFresh = Effect.forEach([...this.rows.values()], ({ key, row, table }) =>
      Effect.map(this.store.find(table, key), (current) => isSame(table, current, row))
    )
    return Effect.flatMap(
      isFresh,
      (fresh): Effect.Effect<never, E | StorageError> =>
        fresh.includes(false) ? Effect.fail(changed()) : Effect.failCause(cause)
    )
  }
}
