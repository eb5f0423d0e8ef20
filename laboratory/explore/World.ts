import { isInRange, type Query, type Range, type Table, type Write } from "@petstore/core/kernel"
import type { EventToAppend, RestoredRows } from "@petstore/core/ports"
import type { Store } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { allRows } from "../../packages/core/testing/src/storage/allRows.ts"
import { type AnyTable, tables } from "../../packages/core/testing/src/storage/TestedStore.ts"
import { referencesIn, rowName, tableNamed } from "./constraints.ts"

/** A row of a table. */
export interface Stored {
  readonly table: string
  readonly row: unknown
}

/** Every row of a store, as commands find it, and the time in milliseconds since 1970. */
export type StoredState = Effect.Success<ReturnType<typeof readState>>

/** Reads every row of a store. */
export const readState = (store: Store, now: number) =>
  Effect.map(allRows(store), ({ events, ...records }) => {
    const rows = new Map<string, Stored>()
    for (const { name } of tables) {
      for (const row of records[name as keyof typeof records]) rows.set(rowName(name, row), { table: name, row })
    }
    return { events, rows, now }
  })

const bySubject = (events: ReadonlyArray<EventToAppend>) => {
  const groups = new Map<string, Array<unknown>>()
  for (const { data, subject, type } of events) {
    groups.set(subject, [...(groups.get(subject) ?? []), { type, data }])
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The committed state of a store: what it had at first, and what commands have written since. */
export class World {
  readonly initial: StoredState
  private readonly saved = new Map<string, Stored>()
  private readonly events: Array<EventToAppend> = []

  constructor(initial: StoredState) {
    this.initial = initial
  }

  /** A live row. */
  find<Row, K extends number | string>({ isLive, name }: Table<Row, K>, key: K): Row | undefined {
    const row = this.stored(`${name} ${key}`)?.row as Row | undefined
    return row === undefined || !isLive(row) ? undefined : row
  }

  /** Rows by their keys, those that are not live included. */
  findAll<Row, K extends number | string>({ name }: Table<Row, K>, keys: ReadonlyArray<K>): ReadonlyArray<Row> {
    return keys.flatMap((key) => {
      const row = this.stored(`${name} ${key}`)?.row as Row | undefined
      return row === undefined ? [] : [row]
    })
  }

  /** The live rows that a query selects, in its order. */
  select<Row, Argument, K extends number | string>(
    { compare, selects, table }: Query<Row, Argument, K>,
    argument: Argument
  ): ReadonlyArray<Row> {
    return this.rowsOf(table.name)
      .map((row) => row as Row)
      .filter((row) => table.isLive(row) && selects(row, argument))
      .sort((one, other) => compare(one, other, argument))
  }

  /** Whether there is a row in a range of a table. */
  has(table: AnyTable, range: Range): boolean {
    return this.rowsOf(table.name).some((row) => isInRange(table, range, row as object))
  }

  /** At most `limit` events, which follow a position. */
  scan(after: number, limit: number) {
    return this.log.filter(({ seq }) => seq > after).slice(0, limit)
  }

  /** The position of the last event. */
  get last(): number {
    return this.log.at(-1)?.seq ?? 0
  }

  /** Makes what a command has written visible. Throws for a row that refers to a missing one. */
  commit(writes: ReadonlyArray<Write>): void {
    for (const write of writes) {
      if ("table" in write) {
        const isKept = write.before === undefined && tableNamed(write.table).existing === "kept"
        if (!isKept || this.stored(rowName(write.table, write.row))?.row === undefined) this.save(write)
      } else if ("remove" in write) {
        this.saved.set(rowName(write.remove, write.row), { table: write.remove, row: undefined })
      } else if ("log" in write && write.log === "events") {
        this.events.push(...(write.rows as ReadonlyArray<EventToAppend>))
      } else if ("log" in write) {
        for (const row of write.rows) this.save({ table: write.log, row: this.numbered(write.log, row) })
      }
      // To purge expired rows changes nothing that a command sees.
    }
  }

  /** What has changed, in a form that is the same for states that callers cannot tell apart: events of different subjects may be in any order. */
  changes(): unknown {
    const rows = [...this.saved].map(([name, { row }]) => [name, row] as const).sort(([a], [b]) => (a < b ? -1 : 1))
    return { rows, events: bySubject(this.events) }
  }

  /** Fills an empty store with this state. */
  restoreTo({ restore }: Store): Effect.Effect<void, unknown> {
    if (restore === undefined) return Effect.die(new Error("The store cannot be filled"))
    const all = [...tables.map(({ name }) => [name, this.rowsOf(name)] as const), ["events", this.log] as const]
    const steps = all.map(([table, rows], index) =>
      // Types cannot follow the names of the tables.
      restore.step({ from: all[index - 1]?.[0], note: table, add: { table, rows } as unknown as RestoredRows })
    )
    return Effect.andThen(Effect.all(steps, { discard: true }), restore.finish)
  }

  private get log() {
    const { events } = this.initial
    const first = events.at(-1)?.seq ?? 0
    return [...events, ...this.events.map((event, index) => ({ ...event, seq: first + 1 + index }))]
  }

  private rowsOf(table: string): ReadonlyArray<unknown> {
    const all = new Map([...this.initial.rows, ...this.saved]).values()
    return [...all].flatMap((stored) => (stored.table === table && stored.row !== undefined ? [stored.row] : []))
  }

  /** A row of a log with its id, if the store gives them. */
  private numbered(name: string, row: unknown): unknown {
    const { generatesIds, withId } = tableNamed(name)
    if (!generatesIds) return row
    const ids = [...this.initial.rows, ...this.saved].flatMap(([key, { table }]) =>
      table === name ? [Number(key.slice(name.length + 1))] : []
    )
    return withId(row as object, Math.max(0, ...ids) + 1)
  }

  private save({ row, table }: Stored): void {
    this.checkReferences(table, row)
    this.saved.set(rowName(table, row), { table, row })
  }

  private stored(name: string): Stored | undefined {
    return this.saved.get(name) ?? this.initial.rows.get(name)
  }

  private checkReferences(name: string, row: unknown): void {
    for (const other of referencesIn(name, row)) {
      if (this.stored(other)?.row === undefined)
        throw new Error(`A row of ${name} refers to ${other}, which is not there`)
    }
  }
}
