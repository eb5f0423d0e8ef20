import type { Range } from "@petstore/core/kernel"
import { type AnyTable, tables } from "../../packages/core/testing/src/storage/TestedStore.ts"

const tableByName = new Map(tables.map((table) => [table.name, table]))

export const tableNamed = (name: string): AnyTable => {
  const table = tableByName.get(name)
  if (table === undefined) throw new Error(`The explorer does not know the table ${name}`)
  return table
}

/** A row as traces name it, such as `pets 1`. */
export const rowName = (table: string, row: unknown): string => `${table} ${tableNamed(table).keyOf(row as object)}`

/** Whether the lock of a key is taken even if it has no row. */
export const locksMissing = (table: string): boolean => tableNamed(table).busy !== undefined

/** The unique name of a row, if it is live and its table has one that commands may find taken. */
export const uniqueNameOf = (name: string, row: unknown) => {
  const table = tableNamed(name)
  if (row === undefined || !table.isLive(row as object)) return undefined
  for (const [index, { equal = [], taken }] of Object.entries(table.indexes)) {
    if (taken === undefined) continue
    const values = equal.map((column) => table.columns[column]?.read(row as object))
    const range: Range = { index, equal: Object.fromEntries(equal.map((column, place) => [column, values[place]])) }
    const text = values.map((value) => JSON.stringify(value)).join(" ")
    return { text, range, lock: `${name} named ${text}`, taken: () => taken(row as object) }
  }
  return undefined
}

/**
 * The rows that a row refers to, such as `pets 1`. To write a row locks what it refers to against removal and a new key alone. Commands
 * do neither, except to consumers, which are locked when a parked event is written, so that nobody ever waits for these locks.
 */
export const referencesIn = (name: string, row: unknown): ReadonlyArray<string> => {
  const { columns, references } = tableNamed(name)
  return Object.entries(references).flatMap(([column, table]) => {
    const key = columns[column]?.read(row as object) ?? undefined
    return key === undefined ? [] : [`${table} ${key}`]
  })
}
