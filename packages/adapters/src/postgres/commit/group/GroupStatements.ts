import type { Stored, Table } from "@petstore/core/kernel"
import type { Statement } from "../../../sql/Program.ts"
import { decoderOf } from "../../../sql/rowFunctions.ts"
import { rowsOf } from "../../../sql/TableStatements.ts"
import {
  type AnyTable,
  conditionsText,
  keyCondition,
  nameOf,
  purgeText,
  type RowKey,
  selectText,
  tables
} from "../../../sql/tableText.ts"
import type { Value } from "../../../sql/Value.ts"
import type { Parameter, Result } from "../../connection/PostgresConnection.ts"
import { binaryArray } from "../../statements/binaryArray.ts"
import { columnTypes, inSchema, translated } from "../../statements/dialect.ts"
import { mergeRanges } from "../../statements/mergeRanges.ts"
import { claimOf } from "../claimName.ts"
import { type AnyQuery, type Reads, readsOf } from "./HeldTable.ts"
import {
  arrays,
  changedColumns,
  columnsOf,
  insertion,
  type Prepared,
  parameters,
  removal,
  update,
  type Write
} from "./writes.ts"

/** A statement with its values, and how its result is read. */
export interface Read<A> extends Prepared {
  readonly decode: (result: Result) => A
}

type Keys = ReadonlyArray<RowKey>

const skipLocked = " SKIP LOCKED"

// A lock makes the commit wait for the standbys, also of a transaction that changes nothing: the server may have the record
// alone, if it went down or was interrupted while it waited for them.
const share = " FOR SHARE"

const claimOne = `SELECT $1::text AS name, pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended($1::text, 0)) AS locked`
const claimMany = `SELECT name, pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended(name, 0)) AS locked
  FROM unnest($1::text[]) AS name`

/** The statements that groups run on one table: each handles any number of rows. */
class TableStatements<Row, Key extends RowKey> {
  readonly insert: Write<Row>
  private readonly schema: string
  private readonly table: Table<Row, Key>
  private readonly rowOf: (stored: Stored) => Row
  private readonly lockText: { readonly one: string; readonly many: string }
  private readonly foundText: { readonly one: string; readonly many: string }
  private readonly removal: Write<ReadonlyArray<Value>>
  private readonly updates = new Map<string, Write<Row>>()
  private readonly ofOwners = new Map<string, string>()

  constructor(schema: string, table: Table<Row, Key>, reads: Reads) {
    this.schema = schema
    this.table = table
    this.rowOf = decoderOf(table)
    this.insert = insertion(schema, table)
    this.removal = removal(schema, table)
    const { key, live } = table
    const [id = ""] = key
    const strength = reads === "lock" ? "FOR NO KEY UPDATE" : "FOR SHARE"
    const selected = `${selectText(table)} WHERE ${live.length === 0 ? "" : `${conditionsText(live)} AND `}`
    this.lockText = {
      one: inSchema(schema, `${selected}${id} = $1 ${strength}`),
      many: inSchema(schema, `${selected}${id} = ANY($1::${this.typeOf(id)}[]) ORDER BY ${id} ${strength}`)
    }
    const keys = columnsOf(table, key)
    const same = key.map((name) => `${name} = wanted.${name}`)
    this.foundText = {
      one: translated(schema, `${selectText(table)} WHERE ${keyCondition(table)}${share}`),
      many: inSchema(
        schema,
        // Each is looked up by itself: as a join, a plan that was made while the table was empty may read all of it.
        `SELECT record.* FROM ${arrays(keys)} AS wanted (${key.join(", ")}) CROSS JOIN LATERAL
          (${selectText(table)} WHERE ${same.join(" AND ")}${share}) AS record`
      )
    }
  }

  /** Locks rows by their keys, in ascending order. Rows that another transaction has locked are left out if `waits` is false. */
  lock(keys: Keys, waits: boolean): Read<ReadonlyArray<Row>> {
    const end = waits ? "" : skipLocked
    const [key] = keys
    return keys.length === 1 && key !== undefined
      ? { text: `${this.lockText.one}${end}`, values: [key], decode: this.decode }
      : { text: `${this.lockText.many}${end}`, values: [this.keyArray(keys)], decode: this.decode }
  }

  /** The same, and those that rows of another table refer to, which a statement before this one has locked. */
  lockWithThoseOf(
    keys: Keys,
    { column, keys: others, table }: { readonly table: AnyTable; readonly column: string; readonly keys: Keys },
    waits: boolean
  ): Read<ReadonlyArray<Row>> {
    const { key, live } = this.table
    const [id = ""] = key
    const [otherId = ""] = table.key
    const otherType = columnTypes[table.columns[otherId]?.type ?? "integer"]
    let text = this.ofOwners.get(column)
    if (text === undefined) {
      text = inSchema(
        this.schema,
        `${selectText(this.table)} WHERE ${conditionsText(live)} AND ${id} = ANY(ARRAY(SELECT unnest($1::${this.typeOf(id)}[])
          UNION SELECT ${column} FROM ${nameOf(table)} WHERE ${otherId} = ANY($2::${otherType}[]))) ORDER BY ${id} FOR NO KEY UPDATE`
      )
      this.ofOwners.set(column, text)
    }
    const values = [this.keyArray(keys), binaryArray(table.columns[otherId]?.type ?? "integer", others)]
    return { text: `${text}${waits ? "" : skipLocked}`, values, decode: this.decode }
  }

  /** Reserves keys, without waiting. Returns those that no other transaction has. */
  claim(keys: ReadonlyArray<Key>): Read<ReadonlyArray<Key>> {
    const names = keys.map((key) => claimOf(this.schema, this.table.name, this.table.keyValues(key)))
    const [name = ""] = names
    const decode = ({ rows }: Result) => {
      const claimed = new Set(rows.flatMap((row) => (row.locked === true ? [row.name] : [])))
      return keys.filter((_, index) => claimed.has(names[index]))
    }
    return names.length === 1
      ? { text: claimOne, values: [name], decode }
      : { text: claimMany, values: [binaryArray("text", names)], decode }
  }

  /** Finds the rows of keys that are reserved by a statement before this one. */
  find(keys: ReadonlyArray<Key>): Read<ReadonlyArray<Row>> {
    const { key, keyValues } = this.table
    const values = parameters(columnsOf(this.table, key), keys.map(keyValues))
    return { text: keys.length === 1 ? this.foundText.one : this.foundText.many, values, decode: this.decode }
  }

  /** Takes ids for new rows from the sequence of the table. */
  newIds(count: number): Read<ReadonlyArray<number>> {
    const sequence = inSchema(this.schema, `${nameOf(this.table)}_id_seq`)
    return {
      text: `SELECT nextval('${sequence.replaceAll("'", "''")}') AS id FROM generate_series(1, $1::int)`,
      values: [count],
      decode: ({ rows }) => rows.map(({ id }) => Number(id))
    }
  }

  /** Writes the columns in which any of the rows differs from what is stored; undefined if none does. */
  update(rows: ReadonlyArray<readonly [stored: Row, row: Row]>): Prepared | undefined {
    const names = changedColumns(this.table, rows)
    if (names.length === 0) return undefined
    const name = names.join()
    let write = this.updates.get(name)
    if (write === undefined) {
      write = update(this.schema, this.table, names)
      this.updates.set(name, write)
    }
    return write(rows.map(([, row]) => row))
  }

  remove(keys: ReadonlyArray<Key>): Prepared {
    return this.removal(keys.map(this.table.keyValues))
  }

  purge(before: string, limit: number): Prepared {
    return { text: translated(this.schema, purgeText(this.table)), values: [before, limit] }
  }

  // The columns have the types of the schema, so a row has the types of its statement.
  private readonly decode = ({ rows }: Result): ReadonlyArray<Row> => rows.map((row) => this.rowOf(row))

  private typeOf(column: string): string {
    return columnTypes[this.table.columns[column]?.type ?? "integer"]
  }

  private keyArray(keys: Keys): Parameter {
    return binaryArray(this.table.columns[this.table.key[0] ?? ""]?.type ?? "integer", keys)
  }
}

/** A list of the rows that a query selects. */
export interface AskedList {
  readonly query: AnyQuery
  readonly argument: string
  readonly limit: number
}

/** The statements that groups run in a schema, by table. */
export class GroupStatements {
  private readonly schema: string
  private readonly byTable: ReadonlyMap<string, TableStatements<unknown, RowKey>>

  constructor(schema: string) {
    this.schema = schema
    this.byTable = new Map(
      [...tables].map(([name, table]) => [name, new TableStatements(schema, table, readsOf(table))])
    )
  }

  /** Reserves queries with their arguments, without waiting. Returns those that no other transaction has. */
  claim<List extends AskedList>(lists: ReadonlyArray<List>): Read<ReadonlySet<List>> {
    const names = lists.map(({ argument, query }) => claimOf(this.schema, query.name, [argument]))
    const [name = ""] = names
    return {
      ...(names.length === 1
        ? { text: claimOne, values: [name] }
        : { text: claimMany, values: [binaryArray("text", names)] }),
      decode: ({ rows }) => {
        const claimed = new Set(rows.flatMap((row) => (row.locked === true ? [row.name] : [])))
        return new Set(lists.filter((_, index) => claimed.has(names[index])))
      }
    }
  }

  /** The first rows that queries select: one statement for all lists of one shape. */
  lists<List extends AskedList>(
    lists: ReadonlyArray<List>
  ): ReadonlyArray<Read<ReadonlyArray<readonly [List, ReadonlyArray<unknown>]>>> {
    const shapes = new Map<Statement<ReadonlyArray<unknown>>, Array<readonly [List, ReadonlyArray<Value>]>>()
    for (const list of lists) {
      const { argument, limit, query } = list
      const { statement, values } = rowsOf(query.table).list(query, argument, limit, mergeRanges)
      const alike = shapes.get(statement)
      if (alike === undefined) shapes.set(statement, [[list, values]])
      else alike.push([list, values])
    }
    return [...shapes].map(([statement, asked]) => this.alike(statement, asked))
  }

  /** Rows of one statement with several sets of values, each with its place. */
  private alike<List>(
    { decode, sql }: Statement<ReadonlyArray<unknown>>,
    asked: ReadonlyArray<readonly [List, ReadonlyArray<Value>]>
  ): Read<ReadonlyArray<readonly [List, ReadonlyArray<unknown>]>> {
    const [[list, values] = [undefined, []]] = asked
    if (asked.length === 1 && list !== undefined) {
      const text = translated(this.schema, sql)
      return { text, values: values as Prepared["values"], decode: ({ rows }) => [[list, decode(rows)]] }
    }
    const types = values.map((value) => (typeof value === "number" ? "integer" : "text"))
    const names = types.map((_, index) => `value_${index}`)
    let next = 0
    const one = sql.replace(/\?/g, () => `asked.${names[next++]}`)
    const from = `unnest(${types.map((type) => `?::${columnTypes[type]}[]`).join(", ")})`
    return {
      text: translated(
        this.schema,
        `SELECT asked.place, found.* FROM ${from} WITH ORDINALITY AS asked (${names.join(", ")}, place)
          CROSS JOIN LATERAL (${one}) AS found`
      ),
      values: types.map((type, index) =>
        binaryArray(
          type,
          asked.map(([, each]) => each[index])
        )
      ),
      decode: ({ rows }) => {
        const rowsOfPlaces = asked.map((): Array<Stored> => [])
        for (const row of rows) rowsOfPlaces[Number(row.place) - 1]?.push(row)
        return asked.map(([each], index) => [each, decode(rowsOfPlaces[index] ?? [])])
      }
    }
  }

  of(table: string): TableStatements<unknown, RowKey> {
    const statements = this.byTable.get(table)
    if (statements === undefined) throw new Error(`There is no table ${table}`)
    return statements
  }
}
