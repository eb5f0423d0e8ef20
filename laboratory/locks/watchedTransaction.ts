import type { Answer, Command, Query, Table, Transaction } from "@petstore/core/kernel"
import type { CommandLocks } from "./CommandLocks.ts"

type Key = number | string

/** Whether the exclusive locks on all that a query limits its rows to, such as a category, keep them as they are. */
const isGuarded = <Row, Argument, K extends Key>(
  locks: CommandLocks,
  { ranges, table: { references } }: Query<Row, Argument, K>,
  argument: Argument
): boolean =>
  ranges(argument).every(({ equal = {} }) =>
    Object.entries(references).some(([column, table]) => locks.holds(table, equal[column] as Key))
  )

type Watched = Pick<
  Transaction,
  | "find"
  | "lock"
  | "lockShared"
  | "lockAll"
  | "first"
  | "all"
  | "count"
  | "claim"
  | "findAll"
  | "scan"
  | "last"
  | "insert"
  | "insertAll"
  | "add"
>

/** The transaction of a command with every call checked. */
export const watchedTransaction = (tx: Transaction, locks: CommandLocks): Transaction => {
  const look = <Row, Argument, K extends Key>(query: Query<Row, Argument, K>, argument: Argument): void => {
    const { isExclusive, name } = query
    if (isExclusive) locks.takeTurn(name, typeof argument === "object" ? "" : String(argument))
    else locks.read(name, `${name} ${JSON.stringify(argument)}`, isGuarded(locks, query, argument))
  }
  const hold = <Row, K extends Key>(table: Table<Row, K>, rows: Iterable<Row>): void => {
    for (const row of rows) locks.hold(table.name, table.keyOf(row))
  }
  /** The rows that the command has asked to lock, those that are not there among them: a store locks each once. */
  const asked = new Map<string, "shared" | "exclusive">()
  const ask = (table: string, key: Key, mode: "shared" | "exclusive"): void => {
    const row = `${table} ${key}`
    const before = locks.holds(table, key) ? "exclusive" : asked.get(row)
    if (before === "exclusive" || before === mode) return
    locks.takeTurn(table, key)
    asked.set(row, mode)
  }
  /** What follows an answer. */
  const after = <A>(answer: Answer<A>, note: (value: A) => void): Answer<A> =>
    // A command does nothing with an answer but yield* it.
    (function* (): Command<A> {
      const value = yield* answer
      note(value)
      return value
    })() as unknown as Answer<A>
  const locked = <Row, K extends Key>(
    table: Table<Row, K>,
    key: K,
    mode: "shared" | "exclusive"
  ): Answer<Row | undefined> => {
    ask(table.name, key, mode)
    return after(mode === "shared" ? tx.lockShared(table, key) : tx.lock(table, key), (row) => {
      // Some keys can be locked, and then written, even if they have no row yet.
      if (!locks.holds(table.name, key) && (row !== undefined || table.busy !== undefined))
        locks.hold(table.name, key, mode)
    })
  }
  const watched: Watched = {
    find: (table, key) => {
      const mayBelong = table.ownerOf !== undefined && Object.values(table.references).some((one) => locks.holdsOf(one))
      locks.read(`${table.name}.find`, `${table.name} ${key}`, mayBelong || locks.holds(table.name, key))
      return after(tx.find(table, key), (row) => {
        const owner = row === undefined ? undefined : table.ownerOf?.(row)
        if (owner !== undefined) locks.guardedBy(owner.table.name, owner.key)
      })
    },
    lock: (table, key) => locked(table, key, "exclusive"),
    lockShared: (table, key) => locked(table, key, "shared"),
    *lockAll(table, keys) {
      const all = [...keys]
      for (const key of all.toSorted((one, other) => (one < other ? -1 : 1))) ask(table.name, key, "exclusive")
      const found = yield* tx.lockAll(table, all)
      for (const key of found.keys()) locks.hold(table.name, key)
      return found
    },
    first: (query, argument) => {
      look(query, argument)
      return tx.first(query, argument)
    },
    all: (query, argument, limit) => {
      look(query, argument)
      return tx.all(query, argument, limit)
    },
    count: (query, argument, limit) => {
      look(query, argument)
      return tx.count(query, argument, limit)
    },
    // A store skips the rows that others hold, so that this waits for nobody.
    claim: (query, argument, limit) => after(tx.claim(query, argument, limit), (rows) => hold(query.table, rows)),
    findAll: (table, keys) => {
      locks.read(`${table.name}.findAll`)
      return tx.findAll(table, keys)
    },
    scan: (log, position, limit) => {
      locks.read("events.scan")
      return tx.scan(log, position, limit)
    },
    last: (log) => {
      locks.read("events.latest")
      return tx.last(log)
    },
    // Nobody else can see a new row, let alone change it.
    insert: (table, rowOf) => after(tx.insert(table, rowOf), (row) => hold(table, [row])),
    insertAll: (table, rowsOf) => after(tx.insertAll(table, rowsOf), (rows) => hold(table, rows)),
    add: (table, row) => {
      hold(table, [row])
      tx.add(table, row)
    }
  }
  return new Proxy(tx, {
    get: (_, name) => {
      const own: unknown = Reflect.get(watched, name)
      if (own !== undefined) return own
      const value: unknown = Reflect.get(tx, name, tx)
      return typeof value === "function" ? value.bind(tx) : value
    }
  })
}
