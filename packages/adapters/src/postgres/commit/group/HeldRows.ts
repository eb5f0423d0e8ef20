import {
  Failed,
  type Purged,
  pending,
  type Query,
  type Source,
  type Table,
  Transaction,
  type Write,
  type Yielded
} from "@petstore/core/kernel"
import type { EventToAppend } from "@petstore/core/ports"
import * as Exit from "effect/Exit"
import { type AnyTable, tableNamed, tables } from "../../../sql/tableText.ts"
import { type UnnumberedEvent, unnumbered } from "../../events/appendEvents.ts"
import { type AnyQuery, type Held, HeldTable, type Key, type Reads, readsOf } from "./HeldTable.ts"
import { IdBlock, NewIds } from "./IdBlock.ts"
import type { KnownRows } from "./KnownRows.ts"
import { changedColumns } from "./writes.ts"

/** Makes a command, which then runs from its start. */
export type Begin = (transaction: Transaction) => Generator<Yielded, unknown, unknown>

/**
 * Why a command has not ended: the group has to lock rows or fetch ids first, another transaction has a row of it, or it does what
 * groups cannot.
 */
export type Stop = "missing" | "busy" | "irregular"

/** How a command has ended. */
export interface Ended {
  readonly exit: Exit.Exit<unknown, unknown>
  readonly wrote: boolean
}

/** The ids that a store has fetched for new rows, by table. */
export type IdBlocks = Readonly<Record<string, IdBlock>>

/** Empty blocks for the tables whose rows get ids. */
export const idBlocks = (): IdBlocks =>
  Object.fromEntries(
    [...tables.values()].flatMap((table) =>
      table.generatesIds && isWritable(table) ? [[table.name, new IdBlock()] as const] : []
    )
  )

const readings: ReadonlyMap<string, Reads> = new Map([...tables].map(([name, table]) => [name, readsOf(table)]))

const isWritable = ({ name }: AnyTable): boolean => readings.get(name) === "lock"

/** Whether groups write this, beside events. */
const isWritten = (write: Write): boolean => {
  if ("table" in write) return isWritable(tableNamed(write.table))
  if ("log" in write) return !tableNamed(write.log).generatesIds
  return "purge" in write && tableNamed(write.purge).indexes.age !== undefined
}

/** The tables in the order in which transactions lock their rows. */
const inLockOrder = [...tables.values()].sort(
  ({ lockOrder: one = Number.POSITIVE_INFINITY }, { lockOrder: other = Number.POSITIVE_INFINITY }) =>
    one === other ? 0 : one - other
)

const isSame = (table: AnyTable, one: unknown, other: unknown): boolean =>
  one === other || (one !== undefined && other !== undefined && changedColumns(table, [[one, other]]).length === 0)

/** A list that a group has to itself, or that stands behind one. */
export interface HeldList {
  readonly query: AnyQuery
  readonly argument: string
  limit: number
  /** Undefined until the group has read it. */
  stored: ReadonlyArray<unknown> | undefined
  /** Whether another transaction has it. */
  isRefused: boolean
}

/** The rows that one group holds, on which its commands run one after another, and what these have written. */
export class HeldRows implements Source {
  readonly storesNew = false
  /** The tables that commands have used. */
  private readonly used = new Map<string, HeldTable>()
  readonly ids: ReadonlyMap<string, NewIds>
  readonly events: Array<UnnumberedEvent> = []
  /** The rows that were added to logs, by table. */
  readonly appended = new Map<string, Array<unknown>>()
  readonly purges: Array<Purged> = []
  /** By the query and its argument, those that others stand behind first. */
  readonly lists = new Map<string, HeldList>()
  private stop: Stop | undefined
  private known: KnownRows | undefined

  /** `known`: the rows that it does not lock, but guesses. */
  constructor(blocks: IdBlocks, known?: KnownRows) {
    this.known = known
    this.ids = new Map(Object.entries(blocks).map(([name, block]) => [name, new NewIds(block)]))
  }

  /** The tables that commands have used, in the order in which transactions lock their rows. */
  get tables(): ReadonlyArray<HeldTable> {
    return inLockOrder.flatMap(({ name }) => this.used.get(name) ?? [])
  }

  /** A table, if commands have used it. */
  find(name: string): HeldTable | undefined {
    return this.used.get(name)
  }

  /** A table that is used from now on. */
  of(name: string): HeldTable {
    let table = this.used.get(name)
    if (table === undefined) {
      table = new HeldTable(tableNamed(name), readings.get(name) ?? "lockShared")
      this.used.set(name, table)
      const { alsoLocks } = table.table
      if (alsoLocks !== undefined) this.of(alsoLocks.table)
    }
    return table
  }

  /** Runs a command from its start, and keeps what it has written if it succeeds. Returns how it has ended, or why it has not. */
  run(begin: Begin): Ended | Stop {
    this.stop = undefined
    const transaction = new Transaction(this)
    const exit = this.exitOf(begin, transaction)
    const isKept = this.stop === undefined && Exit.isSuccess(exit)
    for (const ids of this.ids.values()) ids.settle(isKept)
    return this.stop ?? { exit, wrote: isKept && transaction.writes.length > 0 }
  }

  load<Row, K extends Key>(
    reading: string,
    { busy, isLive, name }: Table<Row, K>,
    key: K
  ): Row | undefined | typeof pending {
    const table = this.of(name)
    if (table.reading !== reading || !table.hasKeys) return this.stopped("irregular")
    const held = table.find(key) ?? this.guessed(table, key)
    if (held !== undefined) {
      const row = held.current as Row | undefined
      return row === undefined || !isLive(row) ? undefined : row
    }
    if (table.isRefused(key)) return this.stopped("busy")
    table.want(key)
    this.stopped("missing")
    // Nearly every key that can be reserved is new: as if it were, the command shows what else it wants. It has not ended, whatever it does.
    return busy === undefined ? pending : undefined
  }

  lockAll<Row, K extends Key>(table: Table<Row, K>, keys: ReadonlyArray<K>): ReadonlyArray<Row> | typeof pending {
    const rows = keys.map((key) => this.load("lock", table, key))
    return rows.some((row) => row === pending)
      ? pending
      : rows.flatMap((row) => (row === undefined ? [] : [row as Row]))
  }

  /** Rows of an exclusive query, or of another one with the argument of an exclusive query of the same table. */
  select<Row, Argument, K extends Key>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): ReadonlyArray<Row> | typeof pending {
    const table = this.of(query.table.name)
    const isLocked = table.reading === "lock" && query.table.lockOrder !== undefined
    if (!isLocked || typeof argument !== "string") return this.stopped("irregular")
    const isGuarded =
      query.isExclusive ||
      [...this.lists.values()].some(
        (list) => list.query.table === (query.table as unknown) && list.argument === argument
      )
    if (!isGuarded) return this.stopped("irregular")
    const list = this.listOf(query as unknown as AnyQuery, argument, limit)
    if (list.isRefused) return this.stopped("busy")
    if (list.stored === undefined) {
      this.stopped("missing")
      // So that the command shows what else it wants. It has not ended, whatever it does.
      return []
    }
    const rows = table.selected(list.stored, list.query, argument)
    // Behind the rows that were read there may be more, in place of those that commands have changed.
    if (rows.length < limit && list.stored.length >= list.limit) return this.stopped("irregular")
    return rows.slice(0, limit) as ReadonlyArray<Row>
  }

  // What is not found by its id.
  readonly findAll = (): typeof pending => this.stopped("irregular")
  readonly count = this.findAll
  readonly claim = this.findAll
  readonly scan = this.findAll
  readonly last = this.findAll

  insert<Row>({ name }: Table<Row>, rowsOf: ReadonlyArray<(id: number) => Row>): ReadonlyArray<Row> | typeof pending {
    const block = this.ids.get(name)
    if (block === undefined) return this.stopped("irregular")
    const ids = block.take(rowsOf.length)
    return ids?.map((id, index) => (rowsOf[index] as (id: number) => Row)(id)) ?? this.stopped("missing")
  }

  get isGuessing(): boolean {
    return this.known !== undefined
  }

  /** Guesses no more, and wants what it has guessed. */
  stopGuessing(): void {
    this.known = undefined
    for (const table of this.used.values()) table.forgetGuesses()
  }

  /** Takes back the ids of the rows that commands have added, when nothing of them is stored. */
  giveBackIds(): void {
    for (const [name, ids] of this.ids) {
      const table = this.used.get(name)
      ids.giveBack(table?.added().map((row) => Number(table.table.keyOf(row))) ?? [])
    }
  }

  /**
   * Whether the rows that others were guessed to be are still so, and will not be once this is written: what waits for them to be so
   * has not been written, and will not be.
   */
  fences(guesses: HeldRows): boolean {
    const pairs = guesses.tables.flatMap(({ guessed, table }) =>
      [...guessed].map((key) => ({
        table,
        guess: guesses.find(table.name)?.find(key)?.stored,
        held: this.find(table.name)?.find(key)
      }))
    )
    return (
      pairs.every(({ guess, held, table }) => held !== undefined && isSame(table, guess, held.stored)) &&
      pairs.some(({ held }) => held?.current !== held?.stored)
    )
  }

  private guessed(table: HeldTable, key: Key): Held | undefined {
    const guess = table.reading === "lock" ? this.known?.find(table, key) : undefined
    if (guess === undefined) return undefined
    table.guess(key, guess.row)
    return table.find(key)
  }

  private listOf(query: AnyQuery, argument: string, limit: number): HeldList {
    const name = `${query.name} ${argument}`
    let list = this.lists.get(name)
    if (list === undefined) {
      list = { query, argument, limit, stored: undefined, isRefused: false }
      this.lists.set(name, list)
    } else if (list.limit < limit) {
      list.limit = limit
      list.stored = undefined
    }
    return list
  }

  private exitOf(begin: Begin, transaction: Transaction): Exit.Exit<unknown, unknown> {
    try {
      const { done, value } = begin(transaction).next()
      // One that waits for a row has stopped.
      if (done !== true) return value instanceof Failed ? Exit.fail(value.error) : Exit.void
      if (this.stop === undefined) this.keep(transaction.writes)
      return Exit.succeed(value)
    } catch (defect) {
      return Exit.die(defect)
    }
  }

  private keep(writes: ReadonlyArray<Write>): void {
    // Before anything is kept: data that cannot be encoded ends this command alone.
    const events: Array<UnnumberedEvent> = []
    for (const write of writes) {
      if ("log" in write && write.log === "events") {
        for (const event of write.rows) events.push(unnumbered(event as EventToAppend))
      } else if (!isWritten(write)) return void this.stopped("irregular")
    }
    this.events.push(...events)
    for (const write of writes) {
      if ("purge" in write) this.purges.push(write)
      else if ("log" in write) {
        if (write.log === "events") continue
        const rows = this.appended.get(write.log)
        if (rows === undefined) this.appended.set(write.log, [...write.rows])
        else rows.push(...write.rows)
      } else if ("table" in write) this.of(write.table).save(write.key, write.row)
    }
  }

  private stopped(stop: Stop): typeof pending {
    // Of rows that are locked at once, some may be busy, and others not read yet.
    if (this.stop !== "busy") this.stop = stop
    return pending
  }
}
