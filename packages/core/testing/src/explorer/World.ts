import type { Movement } from "@petstore/core/domain"
import { nameKey } from "@petstore/core/domain"
import { orderOf, type Query, type Table, type Write } from "@petstore/core/engine"
import type { EventToAppend, NewDelivery } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { allRows } from "../storage/allRows.ts"
import type { Store } from "../storage/StorageFixture.ts"
import { referencesIn, rowName } from "./constraints.ts"

/** The tables of commands, each behind those that it refers to. */
const filled = [
  "accounts",
  "apiKeys",
  "categories",
  "pets",
  "orders",
  "messages",
  "idempotency",
  "consumers",
  "parkedEvents",
  "webhooks",
  "deliveries"
] as const

/** A row of a table. */
export interface Stored {
  readonly table: string
  readonly row: unknown
}

/** Every row of a store, as commands find it. */
export type StoredState = Effect.Success<ReturnType<typeof readState>>

/** Reads every row of a store. */
export const readState = (store: Store) =>
  Effect.map(allRows(store), (records) => {
    const accounts = records.accounts.map((account) => ({ account, nameKey: nameKey(account.name) }))
    const rows = new Map<string, Stored>()
    for (const table of filled) {
      for (const row of { ...records, accounts }[table]) rows.set(rowName(table, row), { table, row })
    }
    return { records: { ...records, accounts }, rows }
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
  private readonly movements: Array<Movement> = []
  private readonly events: Array<EventToAppend> = []

  constructor(initial: StoredState) {
    this.initial = initial
  }

  /** A live row. */
  find<Row, K extends number | string>({ isLive, name }: Table<Row, K>, key: K): Row | undefined {
    const row = this.stored(`${name} ${key}`)?.row as Row | undefined
    return row === undefined || !isLive(row) ? undefined : row
  }

  /** The live rows that a query selects, in its order. */
  select<Row, Argument, K extends number | string>(
    query: Query<Row, Argument, K>,
    argument: Argument
  ): ReadonlyArray<Row> {
    const { selects, table } = query
    const found: Array<Row> = []
    for (const [name, stored] of new Map([...this.initial.rows, ...this.saved])) {
      const row = stored.row as Row
      const isFound = stored.table === table.name && this.stored(name) === stored && row !== undefined
      if (isFound && table.isLive(row) && selects(row, argument)) {
        found.push(row)
      }
    }
    return found.sort(orderOf(query))
  }

  /** At most `limit` rows of a log, which follow a position. */
  scan(log: string, after: number, limit: number): ReadonlyArray<unknown> {
    const first = this.initial.records.events.at(-1)?.seq ?? 0
    if (log !== "events") throw new Error(`The explorer does not know the log ${log}`)
    const added = this.events.map((event, index) => ({ ...event, seq: first + 1 + index }))
    return [...this.initial.records.events, ...added].filter(({ seq }) => seq > after).slice(0, limit)
  }

  /** Makes what a command has written visible. Throws for a row that refers to a missing one. */
  commit(writes: ReadonlyArray<Write>): void {
    for (const write of writes) {
      if ("table" in write) {
        this.checkReferences(write.table, [write.row])
        this.saved.set(rowName(write.table, write.row), write)
      } else if ("remove" in write) {
        this.saved.set(rowName(write.remove, write.row), { table: write.remove, row: undefined })
      } else if ("log" in write && write.log === "deliveries") {
        this.addDeliveries(write.rows as ReadonlyArray<NewDelivery>)
      } else if ("log" in write) {
        this.checkReferences(write.log, write.rows)
        if (write.log === "movements") this.movements.push(...(write.rows as ReadonlyArray<Movement>))
        else this.events.push(...(write.rows as ReadonlyArray<EventToAppend>))
      }
      // To purge expired rows changes nothing that a command sees.
    }
  }

  /** What has changed, in a form that is the same for states that callers cannot tell apart: events of different subjects may be in any order. */
  changes(): unknown {
    const rows = [...this.saved].map(([name, { row }]) => [name, row] as const).sort(([a], [b]) => (a < b ? -1 : 1))
    const movements = [...this.movements].sort((a, b) => a.petId - b.petId)
    return { rows, movements, events: bySubject(this.events) }
  }

  /** Fills an empty store with this state. */
  restoreTo(store: Store): Effect.Effect<void, unknown> {
    const { records } = this.initial
    const rows = [...new Map([...this.initial.rows, ...this.saved]).values()]
    const of = (name: string): ReadonlyArray<never> =>
      rows.flatMap(({ row, table }) => (table === name && row !== undefined ? [row as never] : []))
    const last = records.events.at(-1)?.seq ?? 0
    const { restore } = store
    if (restore === undefined) return Effect.die(new Error("The store cannot be filled"))
    const { add } = restore
    return store.transact(
      Effect.gen({ self: this }, function* () {
        for (const name of filled) yield* add[name](of(name))
        yield* add.movements([...records.movements, ...this.movements])
        yield* add.events([
          ...records.events,
          ...this.events.map((event, index) => ({ ...event, seq: last + 1 + index }))
        ])
      })
    )
  }

  /** Gives deliveries their ids. */
  private addDeliveries(added: ReadonlyArray<NewDelivery>): void {
    for (const delivery of added) {
      const ids = [...this.initial.rows, ...this.saved].flatMap(([name]) =>
        name.startsWith("deliveries ") ? [Number(name.slice("deliveries ".length))] : []
      )
      const id = Math.max(0, ...ids) + 1
      const row = { delivery: { id, ...delivery, status: "pending", attempts: 0 }, lease: { fence: 0 } }
      this.checkReferences("deliveries", [row])
      this.saved.set(`deliveries ${id}`, { table: "deliveries", row })
    }
  }

  private stored(name: string): Stored | undefined {
    return this.saved.get(name) ?? this.initial.rows.get(name)
  }

  private checkReferences(name: string, rows: ReadonlyArray<unknown>): void {
    for (const row of rows) {
      for (const other of referencesIn(name, row)) {
        if (this.stored(other)?.row === undefined)
          throw new Error(`A row of ${name} refers to ${other}, which is not there`)
      }
    }
  }
}
