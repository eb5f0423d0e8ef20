import type { Column } from "@petstore/core/kernel"
import { type AnyTable, changingColumns, insertionInto, keyCondition, nameOf, tables } from "../../../sql/tableText.ts"
import type { Value } from "../../../sql/Value.ts"
import { appendParts, fewEvents, valuesOf } from "../../events/appendEvents.ts"
import { columnTypes, translated } from "../../statements/dialect.ts"
import { claimOf } from "../claimName.ts"
import type { HeldRows } from "./HeldRows.ts"
import type { Key } from "./HeldTable.ts"
import { changedColumns, type Prepared } from "./writes.ts"

/** The most rows of a table that one statement writes, and the most forms of it. The rest is locked and written in flights of their own. */
const mostRows = 4
const mostForms = 256

/** Columns that only rise. A row whose change shows in one is never again as it was, so that a statement that arrives late does nothing. */
const rising = ["version", "stock_version", "last_movement"]

/** A part of a statement. Those of one name differ in their values alone. */
interface Part {
  readonly name: string
  readonly text: () => string
  readonly values: ReadonlyArray<Value>
}

type Columns = ReadonlyArray<readonly [name: string, column: Pick<Column<unknown>, "type">]>

/** Without a row of it, the other parts do nothing. */
const holds = "EXISTS (SELECT 1 FROM guessed)"

const namesOf = (columns: Columns): string => columns.map(([name]) => name).join(", ")
const placesOf = (columns: Columns): string => columns.map(([, { type }]) => `?::${columnTypes[type]}`).join(", ")

/** What one statement does to a table. */
class TableParts {
  private readonly schema: string
  private readonly table: AnyTable
  private readonly compared: ReadonlyArray<readonly [string, Column<unknown>]>
  private readonly insertion: ReturnType<typeof insertionInto<unknown, Key>>

  constructor(schema: string, table: AnyTable) {
    this.schema = schema
    this.table = table
    this.compared = changingColumns(table).filter(([, { path }]) => path !== undefined)
    this.insertion = insertionInto(table, { withIds: true })
  }

  /** Locks a row if it is as guessed, and no other transaction has it; reserves a key if it is as new as guessed. */
  guess(key: Key, row: unknown): Part {
    const { compared, table } = this
    const { keyValues, name } = table
    const existing = `SELECT 1 FROM ${nameOf(table)} WHERE ${keyCondition(table)}`
    return row === undefined
      ? {
          name: `new ${name}`,
          // Who adds the same key after the statement has looked for it makes it fail.
          text: () => `SELECT 1 WHERE NOT EXISTS (${existing})
            AND pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended(?::text, 0))`,
          values: [...keyValues(key), claimOf(this.schema, name, keyValues(key))]
        }
      : {
          name: `same ${name}`,
          text: () => `${existing} AND (${namesOf(compared)}) IS NOT DISTINCT FROM (${placesOf(compared)})
            FOR NO KEY UPDATE SKIP LOCKED`,
          values: [...keyValues(key), ...compared.map(([, { read }]) => read(row))]
        }
  }

  add(row: unknown): Part {
    const { target, valuesOf: values } = this.insertion
    const columns = target.columns.map((column) => [column.name, column] as const)
    return {
      name: `add ${this.table.name}`,
      text: () => `INSERT INTO ${target.table} (${namesOf(columns)}) SELECT ${placesOf(columns)} WHERE ${holds}`,
      values: values(row)
    }
  }

  /** Undefined for a change that others may take back. */
  change(stored: unknown, row: unknown): Part | undefined {
    const { columns, keyOf, keyValues, name } = this.table
    const names = changedColumns(this.table, [[stored, row]])
    if (!names.some((one) => rising.includes(one))) return undefined
    return {
      name: `change ${name} ${names}`,
      text: () => {
        const assigned = names.map((one) => `${one} = ?::${columnTypes[columns[one]?.type ?? "text"]}`)
        return `UPDATE ${nameOf(this.table)} SET ${assigned.join(", ")}
          WHERE ${keyCondition(this.table)} AND ${holds}`
      },
      values: [...names.map((one) => columns[one]?.read(row)), ...keyValues(keyOf(row))]
    }
  }
}

/** The statements that write what a lone command has made of guessed rows: each locks these, and does nothing if one has changed. */
export class GuessedWrites {
  private readonly schema: string
  private readonly parts: ReadonlyMap<string, TableParts>
  private readonly texts = new Map<string, string>()

  constructor(schema: string) {
    this.schema = schema
    this.parts = new Map([...tables].map(([name, table]) => [name, new TableParts(schema, table)]))
  }

  /**
   * One statement, which is a transaction by itself. It returns `guessed`, whether the rows were so, and `numbered`, whether the events have
   * their numbers. Undefined if it would be too long, or if what it changes may be taken back.
   */
  of(held: HeldRows): Prepared | undefined {
    const { events, lists, purges } = held
    const guesses: Array<Part> = []
    const writes: Array<Part> = []
    if (purges.length > 0 || lists.size > 0 || events.length > fewEvents) return undefined
    for (const table of held.tables) {
      const { name } = table.table
      const parts = this.parts.get(name)
      const added = table.added()
      const changed = table.changed()
      if (parts === undefined || added.length + changed.length + table.guessed.size > mostRows) return undefined
      for (const key of table.guessed) guesses.push(parts.guess(key, table.find(key)?.stored))
      for (const row of added) {
        // One that nothing has looked for may be there already.
        const { existing, keyOf } = table.table
        if (existing !== undefined && !table.guessed.has(keyOf(row))) return undefined
        writes.push(parts.add(row))
      }
      for (const [stored, row] of changed) {
        const change = parts.change(stored, row)
        if (change === undefined) return undefined
        writes.push(change)
      }
    }
    for (const [name, rows] of held.appended) {
      const parts = this.parts.get(name)
      if (parts === undefined || rows.length > mostRows) return undefined
      for (const row of rows) writes.push(parts.add(row))
    }
    const text = this.textOf(guesses, writes, events.length)
    return text === undefined
      ? undefined
      : {
          text,
          values: [...guesses, ...writes]
            .flatMap(({ values }) => values.map((value) => value ?? null))
            .concat(events.flatMap(valuesOf))
        }
  }

  private textOf(guesses: ReadonlyArray<Part>, writes: ReadonlyArray<Part>, events: number): string | undefined {
    const form = [...guesses, ...writes, { name: events }].map(({ name }) => name).join()
    let text = this.texts.get(form)
    if (text === undefined && this.texts.size < mostForms) {
      const one = (part: Part, index: number): string => `guess_${index} AS MATERIALIZED (${part.text()})`
      const from = guesses.length === 0 ? "" : ` FROM ${guesses.map((_, index) => `guess_${index}`).join(", ")}`
      const all = [
        ...guesses.map(one),
        `guessed AS MATERIALIZED (SELECT 1${from})`,
        ...writes.map((part, index) => `write_${index} AS (${part.text()})`)
      ]
      const offset = [...guesses, ...writes].reduce((sum, { values }) => sum + values.length, 0)
      const appended = events === 0 ? undefined : appendParts(events, offset, holds)
      text = translated(
        this.schema,
        `WITH ${all.join(", ")}${appended === undefined ? "" : `, ${appended.parts}`}
        SELECT ${holds} AS guessed, ${appended?.isNumbered ?? "TRUE AS numbered"}`
      )
      this.texts.set(form, text)
    }
    return text
  }
}
