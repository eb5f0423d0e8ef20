import { UnknownRequest } from "@petstore/core/engine"
import { categoriesNamed } from "../../sql/CategoryRows.ts"
import { type CommandTable, commandTables, type RowKey } from "../../sql/commandTables.ts"
import type { BoundStatement } from "../../sql/IndexRange.ts"
import { petRanges } from "../../sql/PetRows.ts"
import { insertionOf } from "../../sql/RowTarget.ts"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { Value } from "../../sql/Value.ts"
import { bind } from "../connection/Connection.ts"
import { mergeRanges } from "./mergeRanges.ts"
import { all, first, runOwn, type Statement } from "./Statement.ts"

/** Runs a statement of the transaction. Throws what SQLite throws. */
export type Perform = <A>(statement: Statement<A>, values: ReadonlyArray<SqlValue>) => A

/** The statements of commands on one table. */
export class TableStatements {
  private readonly table: CommandTable
  private readonly columns: ReadonlyArray<readonly [name: string, read: (row: unknown) => Value]>
  private readonly condition: string
  private readonly select: string
  private readonly selectOne: Statement<unknown>
  private readonly selectLast: Statement<number | undefined>
  private readonly insertion: Statement<void>
  private readonly updates = new Map<string, Statement<void>>()

  constructor(table: CommandTable) {
    this.table = table
    this.columns = Object.entries(table.columns).map(([name, { read }]) => [name, read])
    const columns = Object.entries(table.columns).map(([name, { type }]) => ({ name, type }))
    this.condition = table.key.map((name) => `${name} = ?`).join(" AND ")
    this.select = `SELECT ${columns.map(({ name }) => name).join(", ")} FROM ${table.table}`
    this.selectOne = first(`${this.select} WHERE ${this.condition}`, table.decode, "lock")
    this.selectLast = first(
      `SELECT max(id) AS id FROM ${table.table}`,
      ({ id }: { readonly id: number | null }) => id ?? 0,
      "lock"
    )
    // One by one: a statement of many rows keeps a copy of each page that it changes, and rows go to many pages.
    this.insertion = runOwn(insertionOf({ table: table.table, columns }))
  }

  find(perform: Perform, key: RowKey): unknown {
    return perform(this.selectOne, this.keyValues(key))
  }

  list(perform: Perform, queryOf: (select: string) => BoundStatement): ReadonlyArray<unknown> {
    const { text, values } = queryOf(this.select)
    return perform(all(text, this.table.decode), bind(values))
  }

  lastId(perform: Perform): number {
    return perform(this.selectLast, []) ?? 0
  }

  insert(perform: Perform, row: unknown): void {
    perform(this.insertion, bind(this.columns.map(([, read]) => read(row))))
  }

  /** Writes the columns in which two states of a row differ. Each set of columns has a statement of its own; few occur. */
  update(perform: Perform, key: RowKey, before: unknown, row: unknown): void {
    const names: Array<string> = []
    const values: Array<Value> = []
    for (const [name, read] of this.columns) {
      const value = read(row)
      if (value === read(before)) continue
      names.push(name)
      values.push(value)
    }
    if (names.length === 0) return
    const assigned = names.join(" = ?, ")
    let statement = this.updates.get(assigned)
    if (statement === undefined) {
      statement = runOwn(`UPDATE ${this.table.table} SET ${assigned} = ? WHERE ${this.condition}`)
      this.updates.set(assigned, statement)
    }
    perform(statement, [...bind(values), ...this.keyValues(key)])
  }

  private keyValues(key: RowKey): Array<SqlValue> {
    return bind(this.table.keyValues(key))
  }
}

/** The statements of the tables of commands, in the order of the references between them. */
export const tableStatements: ReadonlyMap<string, TableStatements> = new Map(
  Object.entries(commandTables).map(([name, table]) => [name, new TableStatements(table)])
)

type QueryOf = (argument: never, limit: number) => (select: string) => BoundStatement

const queries: Readonly<Record<string, QueryOf | undefined>> = {
  petsInCategory: (categoryId: number, limit) => (select) =>
    mergeRanges(select, petRanges({ categoryId, after: 0, limit }), limit),
  categoriesByName: (nameKey: string, limit) => (select) => mergeRanges(select, [categoriesNamed(nameKey)], limit),
  accountsByName: (nameKey: string, limit) => (select) => ({
    text: `${select} WHERE name_key = ? LIMIT ?`,
    values: [nameKey, limit]
  })
}

/** How the rows that a query selects are found, by its name. */
export const queryOf = (name: string, argument: unknown, limit: number): ((select: string) => BoundStatement) =>
  queries[name]?.(argument as never, limit) ?? unknown(`select ${name}`)

/** For requests of commands that run by the rows of the store. */
export const unknown = (request: string): never => {
  throw new UnknownRequest(request)
}
