import { type Answer, type Asked, Known, Waiting } from "./Command.ts"
import type { Log, Query, Table } from "./Table.ts"

/** How a row is read: as of now, or so that nobody can change it until the transaction ends. Several may hold a shared lock. */
export type Reading = "find" | "lock" | "lockShared"

/** What a source returns for something that the command must wait for. */
export const pending = Symbol("pending")

type Key = number | string

/** Where a transaction reads its rows, of which it sees the live ones alone: what differs between stores while a command runs. */
export interface Source {
  load<Row, K extends Key>(reading: Reading, table: Table<Row, K>, key: K): Row | undefined | typeof pending
  /** Locks rows by their keys, which ascend, at once. Without it, they are loaded one by one. */
  lockAll?<Row, K extends Key>(table: Table<Row, K>, keys: ReadonlyArray<K>): ReadonlyArray<Row> | typeof pending
  /** Reads the first rows that a query selects, in its order; at most `limit`. */
  select<Row, Argument, K extends Key>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): ReadonlyArray<Row> | typeof pending
  /** How many rows a query selects; the count ends at `limit`. */
  count<Row, Argument, K extends Key>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): number | typeof pending
  /** Locks rows that a query selects and no other transaction has locked: at most `limit`, the first ones of its order. */
  claim<Row, Argument, K extends Key>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): ReadonlyArray<Row> | typeof pending
  /** Rows by their keys, those that are not live included, in any order. */
  findAll<Row, K extends Key>(table: Table<Row, K>, keys: ReadonlyArray<K>): ReadonlyArray<Row> | typeof pending
  /** At most `limit` events, which follow a position. */
  scan(after: number, limit: number): ReadonlyArray<unknown> | typeof pending
  /** The position of the last event; 0 if there never was one. */
  last(): number | typeof pending
  /** Whether `insert` stores the rows; otherwise they are among the writes. */
  readonly storesNew: boolean
  /** The rows that are made of new ids, in the same order. */
  insert<Row>(table: Table<Row>, rowsOf: ReadonlyArray<(id: number) => Row>): ReadonlyArray<Row> | typeof pending
}

/** A row to save, and the one that it replaces. */
export interface Saved {
  readonly table: string
  readonly key: number | string
  readonly row: unknown
  readonly before: unknown
}

/** Rows to add to a log. */
export interface Appended {
  readonly log: string
  readonly rows: ReadonlyArray<unknown>
}

/** Some of the rows of a table that are older than a time: at most `limit`, and none that another transaction has locked. */
export interface Purged {
  readonly purge: string
  readonly before: string
  readonly limit: number
}

/** A row to remove. */
export interface Removed {
  readonly remove: string
  readonly key: number | string
  readonly row: unknown
}

/** Removes the events up to a position, except for the last one and those without a number yet. */
export interface Trimmed {
  readonly trim: number
}

/** What a command writes when it ends. */
export type Write = Saved | Appended | Purged | Removed | Trimmed

/**
 * A row that a command has read or written, which is its write if it is saved. A class, because one command with many rows would let V8
 * make all later objects of the same literal as long-lived ones, which keep alive whatever they lead to. With `declare`, no function
 * defines the fields before the constructor sets them.
 */
class Entry implements Saved {
  declare readonly table: string
  declare readonly key: Key
  declare readonly reading: Reading
  declare readonly before: unknown
  declare row: unknown
  /** Its place among the writes; -1 if it is not saved. */
  declare place: number

  constructor(table: string, key: Key, reading: Reading, before: unknown, row = before, place = -1) {
    this.table = table
    this.key = key
    this.reading = reading
    this.before = before
    this.row = row
    this.place = place
  }
}

/** An entry before a change of it, with its write. */
interface Change extends Pick<Entry, "place" | "row"> {
  readonly entry: Entry
  readonly write: Write | undefined
}

/** What use cases read with: a {@link Transaction}, or whatever else has rows. */
export interface Reads {
  /** Announces several reads, so that one snapshot serves them. Without it, a query starts again when it reads a second time, because all reads must see one state. */
  together(): Asked<void>
  find<Row, K extends Key>(table: Table<Row, K>, key: K): Asked<Row | undefined>
  findAll<Row, K extends Key>(table: Table<Row, K>, keys: ReadonlyArray<K>): Asked<ReadonlyArray<Row>>
  first<Row, Argument, K extends Key>(query: Query<Row, Argument, K>, argument: Argument): Asked<Row | undefined>
  all<Row, Argument, K extends Key>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): Asked<ReadonlyArray<Row>>
  count<Row, Argument, K extends Key>(query: Query<Row, Argument, K>, argument: Argument, limit: number): Asked<number>
}

const together = new Known(undefined)

/** The maximum number of entries that are looked through one by one. */
const fewEntries = 16

/** Whether a row is written, and held by the lock of its owner. */
const isHeldByOwner = (known: Entry | undefined): boolean => known?.reading === "find" && known.place >= 0

const strength: Readonly<Record<Reading, number>> = { find: 0, lockShared: 1, lock: 2 }

/**
 * The rows of one running command: what it has locked, and what it will write if it succeeds. Nothing is saved before, so that a
 * command that fails leaves nothing to undo, and a row that it saves twice is written once.
 */
export class Transaction implements Reads {
  private readonly source: Source
  private readonly entries: Array<Entry> = []
  private readonly written: Array<Write> = []
  /** What the command writes, in the order in which it first wrote each row. */
  readonly writes: ReadonlyArray<Write> = this.written
  /** The places of the latest entries of rows, as far as they have been looked up, of commands with many of them. */
  private places: Map<string, Map<Key, number>> | undefined
  private placed = 0
  /** What rows and their writes were before each change since the first {@link mark}. */
  private changes: Array<Change> | undefined
  private takeAnswer: (answer: unknown) => unknown = (answer) => answer

  constructor(source: Source) {
    this.source = source
  }

  /** What a command reads is of one state in any case. */
  together(): Answer<void> {
    return together
  }

  /** Reads a row without locking it: another transaction may change it at any time. */
  find<Row, K extends Key>(table: Table<Row, K>, key: K): Answer<Row | undefined> {
    return this.load("find", table, key)
  }

  /** A row that nobody else can change until the transaction ends. */
  lock<Row, K extends Key>(table: Table<Row, K>, key: K): Answer<Row | undefined> {
    return this.load("lock", table, key)
  }

  /** A row that nobody can change until the transaction ends. */
  lockShared<Row, K extends Key>(table: Table<Row, K>, key: K): Answer<Row | undefined> {
    return this.load("lockShared", table, key)
  }

  /** Rows that nobody else can change until the transaction ends, locked in ascending key. */
  *lockAll<Row, K extends Key>(
    table: Table<Row, K>,
    keys: Iterable<K>
  ): Generator<Waiting<unknown>, ReadonlyMap<K, Row>, unknown> {
    const sorted = [...new Set(keys)].sort((one, other) => (one < other ? -1 : 1))
    yield* this.lockAtOnce(table, sorted)
    const rows = new Map<K, Row>()
    for (const key of sorted) {
      const row = yield* this.lock(table, key)
      if (row !== undefined) rows.set(key, row)
    }
    return rows
  }

  /** The first row that a query selects, which may change at any time. */
  first<Row, Argument, K extends Key>(query: Query<Row, Argument, K>, argument: Argument): Answer<Row | undefined> {
    return this.select(query, argument, 1, ([row]) => row)
  }

  /** At most `limit` rows that a query selects, which may change at any time. */
  all<Row, Argument, K extends Key>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): Answer<ReadonlyArray<Row>> {
    return this.select(query, argument, limit, (rows) => rows)
  }

  /** How many rows a query selects. The count ends at `limit`. */
  count<Row, Argument, K extends Key>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): Answer<number> {
    const own = this.own(query.table)
    const result = this.source.count(query, argument, limit + own.length)
    const counted = (row: unknown): number =>
      row !== undefined && query.table.isLive(row as Row) && query.selects(row as Row, argument) ? 1 : 0
    const take = (stored: number): number =>
      Math.min(
        limit,
        own.reduce((sum, { before, row }) => sum + counted(row) - counted(before), stored)
      )
    return result === pending ? this.wait(take) : new Known(take(result))
  }

  /** Locks rows that a query selects and no other transaction has locked. */
  claim<Row, Argument, K extends Key>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): Answer<ReadonlyArray<Row>> {
    const { table } = query
    const own = this.own(table)
    // Those that it has changed may be selected as they are stored.
    const hidden = own.filter(({ before }) => before !== undefined && query.selects(before as Row, argument)).length
    const result = this.source.claim(query, argument, limit + hidden)
    const take = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
      const written = new Set(own.map(({ row }) => row))
      const claimed = this.asWritten(query, argument, limit, own, rows)
      for (const row of claimed) if (!written.has(row)) this.loaded("lock", table, table.keyOf(row), row)
      return claimed
    }
    return result === pending ? this.wait(take) : new Known(take(result))
  }

  /** Rows by their keys, those that are not live included, in any order. */
  findAll<Row, K extends Key>(table: Table<Row, K>, keys: ReadonlyArray<K>): Answer<ReadonlyArray<Row>> {
    const own = this.own(table).filter(({ key }) => keys.includes(key as K))
    const take = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
      own.length === 0 ? rows : this.merged(table, own, rows, own)
    const result = this.source.findAll(table, keys)
    return result === pending ? this.wait(take) : new Known(take(result))
  }

  /** At most `limit` events of the log, which follow a position. */
  scan<Row>(_log: Log<Row>, after: number, limit: number): Answer<ReadonlyArray<Row>> {
    const result = this.source.scan(after, limit) as ReadonlyArray<Row> | typeof pending
    return result === pending ? this.wait((rows: ReadonlyArray<Row>) => rows) : new Known(result)
  }

  /** The position of the last event of the log. */
  last<Row>(_log: Log<Row>): Answer<number> {
    const result = this.source.last()
    return result === pending ? this.wait((position: number) => position) : new Known(result)
  }

  /** Adds a row with a new id, and returns it. */
  insert<Row>(table: Table<Row>, rowOf: (id: number) => Row): Answer<Row> {
    const result = this.source.insert(table, [rowOf])
    const take = ([row]: ReadonlyArray<Row>): Row => this.inserted(table, row as Row)
    return result === pending ? this.wait(take) : new Known(take(result))
  }

  /** Adds many rows with new ids, and returns them in the same order. */
  insertAll<Row>(table: Table<Row>, rowsOf: ReadonlyArray<(id: number) => Row>): Answer<ReadonlyArray<Row>> {
    const result = this.source.insert(table, rowsOf)
    const take = (rows: ReadonlyArray<Row>) => rows.map((row) => this.inserted(table, row))
    return result === pending ? this.wait(take) : new Known(take(result))
  }

  /** Adds a row whose key the command has made. */
  add<Row, K extends Key>(table: Table<Row, K>, row: Row): void {
    const entry = new Entry(table.name, table.keyOf(row), "lock", undefined, row, this.written.length)
    this.written.push(entry)
    this.entries.push(entry)
  }

  /** Replaces a row that is locked or new, or whose owner is locked. If there is no row of its key, adds it. */
  save<Row, K extends Key>(table: Table<Row, K>, row: Row): void {
    const entry = this.changed(table, row)
    entry.row = row
    this.written[entry.place] = entry
  }

  /** Removes a row that is locked, or whose owner is locked. */
  remove<Row, K extends Key>(table: Table<Row, K>, row: Row): void {
    const entry = this.changed(table, row)
    entry.row = undefined
    this.written[entry.place] = { remove: table.name, key: entry.key, row }
  }

  /** Adds rows to a log, in this order. */
  append<Row>(log: Log<Row>, rows: ReadonlyArray<Row>): void {
    if (rows.length > 0) this.written.push({ log: log.name, rows })
  }

  /** Removes some of the rows that are older than a time. */
  purge<Row, K extends Key>(table: Table<Row, K>, before: string, limit: number): void {
    this.written.push({ purge: table.name, before, limit })
  }

  /** Removes the events up to a position. */
  trim(through: number): void {
    this.written.push({ trim: through })
  }

  /** Returns a function that takes back what is written from now on. */
  mark(): () => void {
    this.changes ??= []
    const { changes, entries, written } = this
    const [changed, known, writes] = [changes.length, entries.length, written.length]
    return () => {
      for (const { entry, place, row, write } of changes.splice(changed).reverse()) {
        Object.assign(entry, { place, row })
        if (write !== undefined) written[place] = write
      }
      written.length = writes
      // What was read since is read again when it is needed: only the store knows what is locked.
      entries.length = known
      this.places = undefined
      this.placed = 0
    }
  }

  /** Takes the answer of the source for which the command waits, and returns what the command receives. */
  answer(result: unknown): unknown {
    return this.takeAnswer(result)
  }

  private latest(table: string, key: Key): Entry | undefined {
    const { entries } = this
    if (entries.length > fewEntries) return this.placedEntry(table, key)
    for (let index = entries.length - 1; index >= 0; index--) {
      const entry = entries[index]
      if (entry?.key === key && entry.table === table) return entry
    }
    return undefined
  }

  private placedEntry(table: string, key: Key): Entry | undefined {
    this.places ??= new Map()
    for (; this.placed < this.entries.length; this.placed++) {
      const entry = this.entries[this.placed]
      if (entry === undefined) continue
      const places = this.places.get(entry.table)
      if (places === undefined) this.places.set(entry.table, new Map([[entry.key, this.placed]]))
      else places.set(entry.key, this.placed)
    }
    return this.entries[this.places.get(table)?.get(key) ?? -1]
  }

  /** The entry of a row that is written, with a place among the writes. */
  private changed<Row, K extends Key>({ keyOf, name, ownerOf }: Table<Row, K>, row: Row): Entry {
    const key = keyOf(row)
    const owner = ownerOf?.(row)
    const isOwned = owner !== undefined && this.latest(owner.table.name, owner.key)?.reading === "lock"
    let entry = this.latest(name, key)
    if (entry?.reading !== "lock" && !isOwned)
      throw new Error(`A command writes row ${key} of ${name}, which it has not locked`)
    if (entry === undefined) {
      entry = new Entry(name, key, "find", undefined)
      this.entries.push(entry)
    }
    const { place, row: before } = entry
    this.changes?.push({ entry, place, row: before, write: this.written[place] })
    if (place < 0) entry.place = this.written.length
    return entry
  }

  private select<Row, Argument, K extends Key, A>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number,
    toResult: (rows: ReadonlyArray<Row>) => A
  ): Answer<A> {
    const { ownerOf } = query.table
    const own = this.own(query.table)
    const result = this.source.select(query, argument, limit + own.length)
    const take = (rows: ReadonlyArray<Row>): A => {
      if (ownerOf !== undefined) for (const row of rows) this.note(query.table, row)
      return toResult(this.asWritten(query, argument, limit, own, rows))
    }
    return result === pending ? this.wait(take) : new Known(take(result))
  }

  /** At most `limit` of the rows that a query selects: those of the store, and in their place those that are written. */
  private asWritten<Row, Argument, K extends Key>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number,
    own: ReadonlyArray<Entry>,
    stored: ReadonlyArray<Row>
  ): ReadonlyArray<Row> {
    if (own.length === 0) return stored
    const { isLive } = query.table
    const selected = own.filter(
      ({ row }) => row !== undefined && isLive(row as Row) && query.selects(row as Row, argument)
    )
    const rows = this.merged(query.table, own, stored, selected)
    if (selected.length > 0) rows.sort((one, other) => query.compare(one, other, argument))
    return rows.slice(0, limit)
  }

  /** The rows of a table that are written. */
  private own<Row, K extends Key>({ name }: Table<Row, K>): ReadonlyArray<Entry> {
    return this.entries.filter(({ place, table }) => table === name && place >= 0)
  }

  /** Rows of the store without those that are written, and those of these that are selected. */
  private merged<Row, K extends Key>(
    { keyOf }: Table<Row, K>,
    own: ReadonlyArray<Entry>,
    stored: ReadonlyArray<Row>,
    selected: ReadonlyArray<Entry>
  ): Array<Row> {
    const written = new Set(own.map(({ key }) => key))
    const rows = selected.flatMap(({ row }) => (row === undefined ? [] : [row as Row]))
    return [...stored.filter((row) => !written.has(keyOf(row))), ...rows]
  }

  /** Remembers a row that belongs to another one, which a command may save without a lock of its own. */
  private note<Row, K extends Key>(table: Table<Row, K>, row: Row): void {
    const key = table.keyOf(row)
    const isWritten = (this.latest(table.name, key)?.place ?? -1) >= 0
    if (!isWritten) this.entries.push(new Entry(table.name, key, "find", row))
  }

  private load<Row, K extends Key>(reading: Reading, table: Table<Row, K>, key: K): Answer<Row | undefined> {
    const known = this.latest(table.name, key)
    if (
      known !== undefined &&
      (isHeldByOwner(known) || (known.reading !== "find" && strength[known.reading] >= strength[reading]))
    ) {
      const row = known.row as Row | undefined
      return new Known(row === undefined || !table.isLive(row) ? undefined : row)
    }
    const result = this.source.load(reading, table, key)
    if (result === pending) return this.wait((row: Row | undefined) => this.loaded(reading, table, key, row))
    return new Known(this.loaded(reading, table, key, result))
  }

  private loaded<Row, K extends Key>(reading: Reading, table: Table<Row, K>, key: K, row: Row | undefined) {
    this.entries.push(new Entry(table.name, key, reading, row))
    return row
  }

  private inserted<Row>(table: Table<Row>, row: Row): Row {
    if (!this.source.storesNew) this.add(table, row)
    else this.loaded("lock", table, table.keyOf(row), row)
    return row
  }

  private lockAtOnce<Row, K extends Key>(table: Table<Row, K>, keys: ReadonlyArray<K>): Answer<void> {
    const wanted = keys.filter((key) => {
      const known = this.latest(table.name, key)
      return known?.reading !== "lock" && !isHeldByOwner(known)
    })
    const result = wanted.length > 1 ? this.source.lockAll?.(table, wanted) : undefined
    const take = (rows: ReadonlyArray<Row>): void => {
      const byKey = new Map(rows.map((row) => [table.keyOf(row), row]))
      for (const key of wanted) this.loaded("lock", table, key, byKey.get(key))
    }
    if (result === undefined) return new Known(undefined)
    return result === pending ? this.wait(take) : new Known(take(result))
  }

  private wait<Read, A>(take: (result: Read) => A): Waiting<A> {
    this.takeAnswer = take as (answer: unknown) => unknown
    return new Waiting<A>()
  }
}
