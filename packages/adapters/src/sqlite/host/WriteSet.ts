import type { Write } from "@petstore/core/engine"
import type { EventToAppend, StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { eventValues } from "../../sql/EventRows.ts"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { StoredRow as Row } from "../../sql/Statement.ts"
import { rowsOf } from "../../sql/TableRows.ts"
import { type AnyTable, changingColumns, insertionInto, selectOldText, tableNamed } from "../../sql/tableText.ts"
import type { Value } from "../../sql/Value.ts"
import { bind } from "../connection/Connection.ts"
import { compactEvents } from "../events/compactEvents.ts"
import { eventInsertion, type RowChange, rowChangesOf } from "../statements/RowChange.ts"

/** Reads through the transaction, without the writes of this set. */
export type Read = (sql: string, values: ReadonlyArray<SqlValue>) => Effect.Effect<ReadonlyArray<Row>, StorageError>

/** JSON has no bytes: they are encoded in hexadecimal. */
const json = (value: SqlValue): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex")
  return typeof value === "bigint" ? Number(value) : typeof value === "string" ? value.toWellFormed() : value
}

const valuesOfEvent = eventValues(compactEvents)

/** What a call in a transaction of a library cannot do. */
export const notInCalls: Effect.Effect<never> = Effect.die(
  new TypeError("This cannot be done in a transaction of your app: call it without one.")
)

/** What a command has changed, for the triggers that replay it. */
export class WriteSet {
  private readonly read: Read
  private readonly writes = new Map<string, Array<unknown>>()
  /** The greatest id of each table that the command was given. */
  private readonly given = new Map<string, number>()

  constructor(read: Read) {
    this.read = read
  }

  get isEmpty(): boolean {
    return this.writes.size === 0
  }

  /** The ids of rows that are added next: no other connection can add one before the transaction ends. */
  newIds(table: string, count: number): Effect.Effect<ReadonlyArray<number>, StorageError> {
    return Effect.map(this.greatestId(table), (last) => {
      this.given.set(table, last + count)
      return Array.from({ length: count }, (_, index) => last + 1 + index)
    })
  }

  /** Takes what the command has collected, in its order. */
  addAll(writes: ReadonlyArray<Write>): Effect.Effect<void, StorageError> {
    return Effect.forEach(writes, (write) => this.addWrite(write), { discard: true })
  }

  /** The writes to each table, in their order. */
  toJson(): ReadonlyArray<readonly [table: string, writes: string]> {
    return [...this.writes].map(([table, writes]) => [table, JSON.stringify(writes)])
  }

  private addWrite(write: Write): Effect.Effect<void, StorageError> {
    if ("log" in write) {
      if (write.log !== "events") {
        const table = tableNamed(write.log)
        return Effect.forEach(write.rows, (row) => this.insert(table, row), { discard: true })
      }
      for (const event of write.rows) this.add(eventInsertion, valuesOfEvent(event as EventToAppend))
      return Effect.void
    }
    if ("remove" in write) {
      const table = tableNamed(write.remove)
      this.add(rowChangesOf(table).delete, table.keyValues(write.key))
      return Effect.void
    }
    if ("table" in write) {
      const table = tableNamed(write.table)
      const { row } = write
      if (write.before === undefined) return this.insert(table, row)
      const changed = changingColumns(table).map(([, { read }]) => read(row))
      this.add(rowChangesOf(table).update, [...changed, ...table.keyValues(write.key)])
      return Effect.void
    }
    return "purge" in write ? this.purge(tableNamed(write.purge), write.before, write.limit) : notInCalls
  }

  /** Adds a row; what becomes of one whose key exists, the table says. */
  private insert(table: AnyTable, row: unknown): Effect.Effect<void, StorageError> {
    const key = table.keyOf(row)
    const add = (): void => {
      const id = table.generatesIds ? Number(key) : undefined
      this.add(rowChangesOf(table).insert, insertionInto(table).valuesOf(row), id)
    }
    if (table.existing !== "kept") return Effect.sync(add)
    const { statement, values } = rowsOf(table).findStored(key)
    return Effect.map(this.read(statement.sql, bind(values)), ([found]) => {
      if (found === undefined) add()
    })
  }

  private purge(table: AnyTable, before: string, limit: number): Effect.Effect<void, StorageError> {
    return Effect.map(this.read(selectOldText(table), [before, limit]), (rows) => {
      for (const row of rows) {
        this.add(
          rowChangesOf(table).delete,
          table.key.map((name) => row[name] as Value)
        )
      }
    })
  }

  private add({ name, table }: RowChange, values: ReadonlyArray<Value>, id?: number): void {
    const writes = this.writes.get(table) ?? []
    writes.push([name, id ?? null, bind(values).map(json)])
    this.writes.set(table, writes)
  }

  private greatestId(table: string): Effect.Effect<number, StorageError> {
    const given = this.given.get(table)
    if (given !== undefined) return Effect.succeed(given)
    return Effect.map(this.read(`SELECT max(id) AS greatest FROM ${table}`, []), ([row]) => Number(row?.greatest ?? 0))
  }
}
