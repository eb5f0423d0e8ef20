import type { AnyTable } from "../../../sql/tableText.ts"
import type { PostgresConnection } from "../../connection/PostgresConnection.ts"
import type { ContendedRows } from "./ContendedRows.ts"
import type { GroupStatements, Read } from "./GroupStatements.ts"
import type { HeldList, HeldRows } from "./HeldRows.ts"
import type { HeldTable, Key } from "./HeldTable.ts"

/** How a group locks rows. */
interface Locking {
  readonly connection: Pick<PostgresConnection, "query">
  readonly statements: GroupStatements
  readonly contended: ContendedRows
  /** Whether to wait for other transactions; otherwise rows that they have are refused. */
  readonly waits: boolean
  /** Whether rows that are refused count as contended: a transaction has them that a group has waited for in vain. */
  readonly notesContended: boolean
}

/**
 * Locks the rows that commands of a group want, in one round trip. All transactions lock rows of tables in the same order, and
 * those of one table in ascending order, so that no two wait for each other. A group waits in its first round trip only, since rows
 * that it wants later may come before those that it has.
 */
export const lockRows = async (held: HeldRows, locking: Locking): Promise<void> => {
  const { connection, contended, statements } = locking
  const read = async <A>({ decode, text, values }: Read<A>): Promise<A> => decode(await connection.query(text, values))
  const wanted = held.tables.map((table) => ({ table, keys: table.takeWanted() }))
  const waits =
    locking.waits && !wanted.some(({ keys, table }) => keys.some((key) => contended.has(table.table.name, key)))

  /** Reserves keys, whether or not they have rows. Who has one of them may be locked for long, so this never waits. */
  const reserve = async (table: HeldTable, keys: ReadonlyArray<Key>): Promise<void> => {
    const own = statements.of(table.table.name)
    const [reserved, rows] = await Promise.all([read(own.claim(keys)), read(own.find(keys))])
    const claimed = new Set(reserved)
    const stored = new Map(rows.map((row) => [table.table.keyOf(row), row]))
    for (const key of keys) {
      if (claimed.has(key)) table.locked(key, stored.get(key))
      else table.refuse(key)
    }
  }

  const lock = async (table: HeldTable, keys: ReadonlyArray<Key>, others: Others | undefined): Promise<void> => {
    const { keyOf, name } = table.table
    const own = statements.of(name)
    const locked = await read(others === undefined ? own.lock(keys, waits) : own.lockWithThoseOf(keys, others, waits))
    for (const row of locked) table.locked(keyOf(row), row)
    for (const key of keys) {
      // One that is left out may be locked by another transaction, or not exist.
      if (waits) table.locked(key, undefined)
      else if (table.find(key) === undefined) {
        table.refuse(key)
        if (locking.notesContended) contended.add(name, key)
      }
    }
  }

  // The reads are behind the claims of those that they stand behind.
  const readLists = async (lists: ReadonlyArray<HeldList>): Promise<void> => {
    const exclusive = lists.filter(({ query }) => query.isExclusive)
    const [claimed, ...listed] = await Promise.all([
      exclusive.length === 0 ? new Set<HeldList>() : read(statements.claim(exclusive)),
      ...statements.lists(lists).map(read)
    ])
    for (const [list, stored] of listed.flat()) {
      if (list.query.isExclusive && !claimed.has(list)) list.isRefused = true
      else list.stored = stored
    }
  }

  const also = new Map<string, Others>()
  const flights: Array<Promise<void>> = []
  for (const { keys, table } of wanted) {
    const { alsoLocks, busy, name } = table.table
    if (alsoLocks !== undefined && keys.length > 0) {
      also.set(alsoLocks.table, { table: table.table, column: alsoLocks.column, keys })
    }
    const others = also.get(name)
    if (busy !== undefined && keys.length > 0) flights.push(reserve(table, keys))
    else if (keys.length > 0 || others !== undefined) flights.push(lock(table, keys, others))
  }
  for (const [name, ids] of held.ids) {
    const { missing } = ids
    if (missing > 0) flights.push(read(statements.of(name).newIds(missing)).then((reserved) => ids.add(reserved)))
  }
  const unread = [...held.lists.values()].filter(({ isRefused, stored }) => stored === undefined && !isRefused)
  if (unread.length > 0) flights.push(readLists(unread))
  await Promise.all(flights)
}

/** Rows whose column refers to rows that are locked along with them. */
interface Others {
  readonly table: AnyTable
  readonly column: string
  readonly keys: ReadonlyArray<Key>
}
