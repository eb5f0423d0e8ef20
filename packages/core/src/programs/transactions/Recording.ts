import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { StorageBusy } from "../../domain/errors/ServiceErrors.ts"
import { type Command, Failed, type FailureOf, fail, type Yielded } from "../../kernel/Command.ts"
import { hasOneRow, type Query, query, type Table, type Value } from "../../kernel/Table.ts"
import { pending, type Reading, type Source, Transaction, type Write } from "../../kernel/Transaction.ts"
import { ask, type Cancel, type Direct, direct } from "../../ports/Direct.ts"
import type { BeginCommand, RunCommand, Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { idempotencyKeys, recordedEvents, schema } from "../../tables/index.ts"
import { Turns } from "./Turns.ts"

type Key = number | string
type AnyTable = Table<object, Key>

// Tables are known by their names, which types cannot follow.
const tables: ReadonlyMap<string, AnyTable> = new Map(
  Object.values(schema).map((table) => [table.name, table as unknown as AnyTable])
)

/** The table of this name, with all of its columns. */
export const wholeTable = (name: string): AnyTable => {
  const table = tables.get(name)
  if (table === undefined) throw new Error(`There is no table ${name}`)
  return table
}

/** A query of whole rows. */
export const wholeQuery = ({ isExclusive, isReversed, name, ranges, table }: Query<never, never, never>) =>
  query(table.viewOf === undefined ? (table as unknown as AnyTable) : wholeTable(table.name), name, ranges, {
    isExclusive,
    isReversed
  })

/** A row as a transaction has first seen it; undefined if there was none. */
interface SeenRow {
  readonly table: AnyTable
  readonly key: Key
  readonly row: object | undefined
  reading: Reading
  /** Whether a later reading has found another row. */
  isUnsteady: boolean
}

/** What a query has selected as a transaction has seen it: the keys of rows, or how many there are. */
interface Seen<Result> {
  readonly query: Query<object, never, Key>
  readonly argument: never
  readonly limit: number
  readonly result: Result
}

type SeenList = Seen<ReadonlyArray<Key>>
type SeenCount = Seen<number>

const strength: Readonly<Record<Reading, number>> = { find: 0, lockShared: 1, lock: 2 }

const textOf = (value: Value): string => (value instanceof Uint8Array ? value.join() : String(value ?? ""))

const isSameValue = (one: Value, other: Value): boolean => one === other || textOf(one) === textOf(other)

const isSame = ({ columns }: AnyTable, one: object | undefined, other: object | undefined): boolean => {
  if (one === undefined || other === undefined || one === other) return one === other
  for (const name in columns) {
    const read = columns[name]?.read
    if (read !== undefined && !isSameValue(read(one), read(other))) return false
  }
  return true
}

/** What nothing is at the end that was read twice, and differed. */
const unsteady = { keys: ["a list that has changed"], count: -1 }

/** Infinite positions are not among the numbers of JSON. */
const nameOf = ({ argument, query: { name, table } }: Seen<unknown>): string =>
  `${table.name} ${name} ${JSON.stringify(argument, (_, value: unknown) => (typeof value === "number" ? String(value) : value))}`

const isSameList = (one: ReadonlyArray<Key>, other: ReadonlyArray<Key>): boolean =>
  one.length === other.length && one.every((key, place) => key === other[place])

/** Makes transactions take turns: what one of them has not found, it cannot lock, but none of the others adds it meanwhile. */
const turn = query(idempotencyKeys, "transactionTurn", () => [], { isExclusive: true })

/** The place of each table in the order in which transactions lock rows. */
const lockPlaces: ReadonlyMap<AnyTable, number> = new Map(
  [...tables.values()].map((table, index) => [table, (table.lockOrder ?? tables.size) + index / tables.size])
)

const byLockOrder = (one: SeenRow, other: SeenRow): number => {
  const placeOf = ({ table }: SeenRow): number => lockPlaces.get(table) ?? tables.size
  return placeOf(one) - placeOf(other) || (one.key < other.key ? -1 : 1)
}

/** The ids of the rows that writes add, which were reserved. */
const createdBy = (writes: ReadonlyArray<Write>): ReadonlyMap<AnyTable, ReadonlyArray<Key>> => {
  const created = new Map<AnyTable, Array<Key>>()
  for (const write of writes) {
    if (!("table" in write) || write.before !== undefined) continue
    const table = wholeTable(write.table)
    if (!table.generatesIds) continue
    const ids = created.get(table)
    if (ids === undefined) created.set(table, [write.key])
    else ids.push(write.key)
  }
  return created
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
  private readonly lists = new Map<string, SeenList>()
  private readonly counts = new Map<string, SeenCount>()
  /** The first position of the log behind which it has seen no event. */
  private logEnd = Number.POSITIVE_INFINITY
  private readonly turns = new Turns()
  /** Whether it must not be written. */
  isSpoiled = false
  /** What the running command waits for. */
  private call: Effect.Effect<unknown, StorageError> = Exit.void
  private take: (result: unknown) => unknown = (result) => result

  constructor(store: Storage["Service"]) {
    this.store = store
  }

  /** Runs a command. If it fails, nothing of it is kept but what it has read. */
  readonly run: RunCommand = <Y extends Yielded, A>(
    begin: BeginCommand<Y, A>
  ): Effect.Effect<A, FailureOf<Y> | StorageError> =>
    this.turns.run(
      direct((asker, done) => {
        const undo = this.transaction.mark()
        const command = this.byCalls(() => begin(this.transaction, asker.services))
        return ask(command, asker, (exit) => {
          if (Exit.isSuccess(exit)) return done(exit)
          undo()
          if (Cause.hasInterruptsOnly(exit.cause)) done(exit)
          else ask(this.explain(exit.cause), asker, done)
        })
      })
    )

  /** Returns a function that takes back what is written from now on. */
  mark(): () => void {
    return this.transaction.mark()
  }

  /** Checks that everything is as it was read, with its locks, and writes what the transaction has written. */
  *settle(tx: Transaction): Command<void, StorageBusy> {
    const { writes } = this.transaction
    // Before any lock, so that none who has the turn waits for one who wants it.
    if (writes.length > 0 && this.dependsOnAbsence) yield* tx.first(turn, undefined)
    for (const { isUnsteady, key, reading, row, table } of [...this.rows.values()].sort(byLockOrder)) {
      const current = reading === "lock" ? yield* tx.lock(table, key) : yield* tx.lockShared(table, key)
      if (isUnsteady || !isSame(table, current, row)) return yield* fail(changed())
    }
    for (const { argument, result, limit, query } of this.lists.values()) {
      const current = yield* tx.all(query, argument, limit)
      if (!isSameList(current.map(query.table.keyOf), result)) return yield* fail(changed())
    }
    for (const { argument, result, limit, query } of this.counts.values()) {
      if ((yield* tx.count(query, argument, limit)) !== result) return yield* fail(changed())
    }
    if (this.logEnd < Number.POSITIVE_INFINITY && (yield* tx.scan(recordedEvents, this.logEnd, 1)).length > 0)
      return yield* fail(changed())
    for (const [table, ids] of createdBy(writes)) {
      if ((yield* tx.findAll(table, ids)).length > 0) return yield* fail(changed())
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
      // The only row that there may be stays the only one.
      const isAll = rows.length > 0 && whole.ranges(argument as never).every((range) => hasOneRow(whole.table, range))
      if (!isAll) this.seeList({ query: whole, argument: argument as never, limit, result: keys })
      for (const row of rows) this.see(whole.table, whole.table.keyOf(row), row, "find")
      return rows
    })
  }

  readonly count: Source["count"] = (counted, argument, limit) =>
    this.wait(this.store.count(counted, argument, limit), (number) => {
      this.seeCount({
        query: counted as unknown as SeenCount["query"],
        argument: argument as never,
        limit,
        result: number
      })
      return number
    })

  readonly claim: Source["claim"] = () => {
    throw new TypeError("Rows that workers claim cannot be claimed in a transaction")
  }

  readonly scan: Source["scan"] = (after, limit) =>
    this.wait(this.store.events.scan(after, limit), (events) => {
      // The log only grows: a full page stays as it is.
      if (events.length < limit) this.seeEnd(events.at(-1)?.seq ?? after)
      return events
    })
  readonly last: Source["last"] = () =>
    this.wait(this.store.events.latest, (seq) => {
      this.seeEnd(seq)
      return seq
    })

  readonly insert: Source["insert"] = (table, rowsOf) => {
    const { reserve } = this.store
    if (reserve === undefined)
      throw new TypeError("This storage cannot reserve ids, so that a transaction creates nothing")
    return this.wait(
      reserve(table, rowsOf.length),
      (ids) => rowsOf.map((rowOf, index) => rowOf(ids[index] as number)) as never
    )
  }

  /** Runs a command that waits for one call of the store after the other. They often return at once: then it goes on in a loop. */
  private byCalls<Y extends Yielded, A>(begin: () => Generator<Y, A, unknown>): Direct<A, FailureOf<Y> | StorageError> {
    return direct((asker, done) => {
      let command: Generator<Y, A, unknown> | undefined
      let cancel: Cancel = () => {}
      /** The outcome of the command, if the result of a call leads to it. */
      const step = (exit: Exit.Exit<unknown, StorageError>): Exit.Exit<A, FailureOf<Y> | StorageError> | undefined => {
        if (Exit.isFailure(exit)) return Exit.failCause(exit.cause)
        try {
          const answer = command === undefined ? undefined : this.transaction.answer(this.take(exit.value))
          command ??= begin()
          const { done: hasEnded, value } = command.next(answer)
          if (hasEnded === true) return Exit.succeed(value)
          return value instanceof Failed ? Exit.fail(value.error as FailureOf<Y>) : undefined
        } catch (defect) {
          return Exit.die(defect)
        }
      }
      const advance = (given: Exit.Exit<unknown, StorageError>): void => {
        let next: typeof given | undefined = given
        while (next !== undefined) {
          const outcome = step(next)
          if (outcome !== undefined) {
            done(outcome)
            return
          }
          next = undefined
          let isLate = false
          cancel = ask(this.call, asker, (exit) => {
            if (isLate) advance(exit)
            else next = exit
          })
          isLate = true
        }
      }
      advance(Exit.void)
      return () => cancel()
    })
  }

  private wait<A>(call: Effect.Effect<A, StorageError>, take: (result: A) => unknown): typeof pending {
    this.call = call
    this.take = take as (result: unknown) => unknown
    return pending
  }

  /** Whether others may add what it has not found. They cannot if the lock of a key without a row keeps them from it. */
  private get dependsOnAbsence(): boolean {
    const isMissed = ({ row, table }: SeenRow): boolean => row === undefined && table.busy === undefined
    return (
      this.lists.size > 0 ||
      this.counts.size > 0 ||
      this.logEnd < Number.POSITIVE_INFINITY ||
      [...this.rows.values()].some(isMissed)
    )
  }

  /** Keeps the longest reading of a list. */
  private seeList(read: SeenList): void {
    const name = nameOf(read)
    const before = this.lists.get(name) ?? read
    const [shorter, longer] = before.limit < read.limit ? [before, read] : [read, before]
    const isSteady = isSameList(longer.result.slice(0, shorter.limit), shorter.result)
    this.lists.set(name, isSteady ? longer : { ...longer, result: unsteady.keys })
  }

  private seeCount(read: SeenCount): void {
    const name = `${nameOf(read)} ${read.limit}`
    const isSteady = (this.counts.get(name)?.result ?? read.result) === read.result
    this.counts.set(name, isSteady ? read : { ...read, result: unsteady.count })
  }

  private seeEnd(position: number): void {
    this.logEnd = Math.min(this.logEnd, position)
  }

  private see(table: AnyTable, key: Key, row: object | undefined, reading: Reading): object | undefined {
    const name = `${table.name} ${key}`
    const seen = this.rows.get(name)
    if (seen === undefined) this.rows.set(name, { table, key, row, reading, isUnsteady: false })
    else if (!isSame(table, seen.row, row)) seen.isUnsteady = true
    return row
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
