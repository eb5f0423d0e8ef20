import type { Query, Table } from "@petstore/core/engine"
import type { Rows } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import type { CommandLocks } from "./CommandLocks.ts"

type Key = number | string

/** Runs a statement of a store: `before` checks it, and `after` checks and notes what it returned. */
export type Watch = <A, E, R>(
  statement: Effect.Effect<A, E, R>,
  before: (locks: CommandLocks) => void,
  after?: (locks: CommandLocks, value: A) => void
) => Effect.Effect<A, E, R>

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

  const held = <Row, K extends Key, E, R>(table: Table<Row, K>, statement: Effect.Effect<ReadonlyArray<Row>, E, R>) =>
    watch(
      statement,
      () => {},
      (locks, found) => {
        for (const row of found) locks.hold(table.name, table.keyOf(row))
      }
    )

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
        (locks) => locks.takeTurn(table.name, key),
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
    claim: (query, argument, limit) => held(query.table, rows.claim(query, argument, limit)),
    // Nobody else can see a new row, let alone change it.
    insert: (table, rowsOf) => held(table, rows.insert(table, rowsOf)),
    write: (writes) =>
      watch(rows.write(writes), (locks) => {
        for (const one of writes) {
          if ("log" in one && one.log === "events") locks.takeTurn("events", 0)
          else if ("table" in one && one.before === undefined) locks.hold(one.table, one.key)
        }
      }),
    events: {
      latest: watch(events.latest, (locks) => locks.read("events.latest")),
      scan: (after, limit) => watch(events.scan(after, limit), (locks) => locks.read("events.scan")),
      find: (seqs) => watch(events.find(seqs), (locks) => locks.read("events.find"))
    }
  }
}
