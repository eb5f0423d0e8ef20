import type { ListIndex } from "@petstore/core/domain"
import { tableIndexesOf } from "@petstore/core/tables"
import { indexText, nameOf, tables } from "./tableText.ts"

/** An index of the database, and the table that it is on. */
interface ExistingIndex {
  readonly table: string
  readonly name: string
}

const events = nameOf({ name: "events" })
const names = [...[...tables.values()].map(nameOf), events]

/** Whether an index is one of lists. Tables of an app or of another store may be beside those of this one, with indexes of any name. */
export const isOfLists = ({ name, table }: ExistingIndex, named = (sql: string) => sql): boolean =>
  names.some((one) => named(one) === table) && name.startsWith(`${table}_by_`)

/** What to do about the indexes of lists. */
export interface BuildOptions {
  readonly dropsOthers: boolean
  /** Whether the store may change its schema. */
  readonly mayBuild: boolean
}

/** How a database writes what creates an index. */
interface IndexDialect {
  /** Stands before the names of indexes. */
  readonly mark?: string
  readonly named?: (sql: string) => string
  /** What the log has of each event in the index of subjects. */
  readonly subjects: string
}

/**
 * The statements that build the indexes of lists which a database lacks and, if asked for, drop those of other lists. Throws if there are
 * any for a store that may not change its schema.
 */
export const indexStatements = (
  indexes: ReadonlyArray<ListIndex>,
  existing: ReadonlyArray<ExistingIndex>,
  { dropsOthers, mayBuild }: BuildOptions,
  { mark = "", named = (sql: string) => sql, subjects }: IndexDialect
): ReadonlyArray<string> => {
  const ofTables = tableIndexesOf(indexes).map(({ name, table }) => ({
    name: named(`${nameOf(table)}_${name}`),
    text: named(indexText(table, name, table.indexes[name] ?? {}, mark))
  }))
  const bySubject = `${events}_by_subject`
  const ofEvents = {
    name: named(bySubject),
    text: named(`CREATE INDEX IF NOT EXISTS ${mark}${bySubject} ON ${events} (${subjects})`)
  }
  const wanted = indexes.includes("events.subject") ? [...ofTables, ofEvents] : ofTables
  const missing = wanted.filter(({ name }) => !existing.some((one) => one.name === name))
  const others = existing.filter((index) => isOfLists(index, named) && !wanted.some(({ name }) => name === index.name))
  if (missing.length > 0 && !mayBuild) {
    throw new Error(
      `it lacks ${missing.length} of the indexes ${indexes.join(", ")}. Run "petstore migrate --indexes ${indexes.join(",")}", which drops those that it does not name, or open it with migrate: true.`
    )
  }
  return [...missing.map(({ text }) => text), ...(dropsOthers ? others.map(({ name }) => `DROP INDEX ${name}`) : [])]
}
