import type { Query, Table, Write } from "@petstore/core/engine"
import type { Rows } from "@petstore/core/ports"
import { schema } from "@petstore/core/tables"
import type * as Effect from "effect/Effect"
import type { CommandLocks } from "./CommandLocks.ts"

type Key = number | string

/** Runs a statement of a store: `before` checks it, and `after` checks and notes what it returned. */
export type Watch = <A, E, R>(
  statement: Effect.Effect<A, E, R>,
  before: (locks: CommandLocks) => void,
  after?: (locks: CommandLocks, value: A) => void
) => Effect.Effect<A, E, R>

// Tables are known by their names, which types cannot follow.
const tableByName = new Map(Object.values(schema).map((table) => [table.name, table as unknown as Table<object, Key>]))

const tableNamed = (name: string): Table<object, Key> => {
  const table = tableByName.get(name)
  if (table === undefined) throw new Error(`There is no table ${name}`)
  return table
}

/** What a row refers to: the column, the table and the key. */
const referencesOf = <Row, K extends Key>({ columns, references }: Table<Row, K>, row: Row) =>
  Object.entries(references).flatMap(([column, table]) => {
    const key = columns[column]?.read(row)
    return typeof key === "number" || typeof key === "string" ? [{ column, table, key }] : []
  })

/** A row that is new, or whose references change, refers to rows that are locked. A numbered one belongs to that which numbers it. */
const refer = <Row, K extends Key>(locks: CommandLocks, table: Table<Row, K>, row: Row, before?: Row): void => {
  for (const { column, key, table: other } of referencesOf(table, row)) {
    if (column === table.numberedBy) locks.save(other, key)
    else if (before === undefined || table.columns[column]?.read(before) !== key) locks.refer(other, key)
  }
}

/** A row is written under its own lock, or that of the row which it belongs to. */
const saveOwn = (locks: CommandLocks, table: Table<object, Key>, row: object): void => {
  const key = table.keyOf(row)
  const owner = table.ownerOf?.(row)
  if (owner !== undefined && !locks.holds(table.name, key)) locks.save(owner.table.name, owner.key)
  else locks.save(table.name, key)
}

const write = (locks: CommandLocks, one: Write): void => {
  if ("table" in one) {
    const [table, row, before] = [tableNamed(one.table), one.row as object, one.before as object | undefined]
    if (before !== undefined || table.busy !== undefined) saveOwn(locks, table, row)
    else {
      locks.ofCommand(`${one.table} ${one.key}`)
      locks.hold(one.table, one.key)
    }
    refer(locks, table, row, before)
  } else if ("remove" in one) saveOwn(locks, tableNamed(one.remove), one.row as object)
  else if ("log" in one && one.log === "events") locks.takeTurn("events", 0)
  else if ("log" in one) for (const row of one.rows) refer(locks, tableNamed(one.log), row as object)
  // A store skips the rows that others hold, so that it waits for nobody.
  else locks.ofCommand("purge" in one ? `${one.purge} before ${one.before}` : `events up to ${one.trim}`)
}

/** Whether the exclusive locks on all that a query limits its rows to, such as a category, keep them as they are. */
const isGuarded = <Row, Argument, K extends Key>(
  locks: CommandLocks,
  { ranges, table: { references } }: Query<Row, Argument, K>,
  argument: Argument
): boolean =>
  ranges(argument).every(({ equal = {} }) =>
    Object.entries(references).some(([column, table]) => locks.holds(table, equal[column] as Key))
  )

/** The rows of a store with every statement checked. */
export const watchedRows = (rows: Rows, watch: Watch): Rows => {
  const { events } = rows

  const look = <Row, Argument, K extends Key>(
    locks: CommandLocks,
    query: Query<Row, Argument, K>,
    argument: Argument
  ): void => {
    const { isExclusive, name } = query
    if (isExclusive) locks.takeTurn(name, typeof argument === "object" ? "" : String(argument))
    else locks.read(name, `${name} ${JSON.stringify(argument)}`, isGuarded(locks, query, argument))
  }

  return {
    find: (table, key) =>
      watch(
        rows.find(table, key),
        (locks) => {
          const mayBelong =
            table.ownerOf !== undefined && Object.values(table.references).some((one) => locks.holdsOf(one))
          locks.read(`${table.name}.find`, `${table.name} ${key}`, mayBelong)
        },
        (locks, row) => {
          const owner = row === undefined ? undefined : table.ownerOf?.(row)
          if (owner !== undefined) locks.guardedBy(owner.table.name, owner.key)
        }
      ),
    findAll: (table, keys) => watch(rows.findAll(table, keys), (locks) => locks.read(`${table.name}.findAll`)),
    lock: (table, key, isShared) =>
      watch(
        rows.lock(table, key, isShared),
        (locks) => locks.lock(table.name, key),
        (locks, row) => {
          // Some keys can be locked, and then written, even if they have no row yet.
          if (row !== undefined || table.busy !== undefined)
            locks.hold(table.name, key, isShared === true ? "shared" : "exclusive")
        }
      ),
    scan: (table, after, limit) => watch(rows.scan(table, after, limit), (locks) => locks.read(`${table.name}.scan`)),
    select: (query, argument, limit) =>
      watch(rows.select(query, argument, limit), (locks) => look(locks, query, argument)),
    count: (query, argument, most) => watch(rows.count(query, argument, most), (locks) => look(locks, query, argument)),
    // A store skips the rows that others hold, so that this waits for nobody.
    claim: (query, argument, limit) =>
      watch(
        rows.claim(query, argument, limit),
        (locks) => locks.ofCommand(query.name),
        (locks, found) => {
          for (const row of found) locks.hold(query.table.name, query.table.keyOf(row))
        }
      ),
    insert: (table, rowsOf) =>
      watch(
        rows.insert(table, rowsOf),
        (locks) => {
          locks.ofCommand(`new ${table.name}`)
          for (const rowOf of rowsOf) refer(locks, table, rowOf(0))
        },
        // Nobody else can see a new row, let alone change it.
        (locks, added) => {
          for (const row of added) locks.hold(table.name, table.keyOf(row))
        }
      ),
    write: (writes) =>
      watch(rows.write(writes), (locks) => {
        for (const one of writes) write(locks, one)
      }),
    events: {
      latest: watch(events.latest, (locks) => locks.read("events.latest")),
      scan: (after, limit) => watch(events.scan(after, limit), (locks) => locks.read("events.scan")),
      find: (seqs) => watch(events.find(seqs), (locks) => locks.read("events.find"))
    }
  }
}
