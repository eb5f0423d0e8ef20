import {
  Failed,
  pending,
  type Query,
  type Reading,
  type Source,
  type Table,
  Transaction,
  type Yielded
} from "@petstore/core/kernel"
import type { CommandName } from "@petstore/core/ports"
import { locksMissing, rowName, tableNamed, uniqueNameOf } from "./constraints.ts"
import type { World } from "./World.ts"

/** A command to run beside others, as often as it takes. */
export interface Program {
  readonly name: string
  /** The command that it runs, such as `orders.place`. */
  readonly command: CommandName | undefined
  readonly begin: (transaction: Transaction) => Generator<Yielded, unknown, unknown>
  /** How the store really reads a row: for stores whose locks are too weak. */
  readonly readsAs?: (reading: Reading, table: string) => Reading
}

type Mode = "shared" | "exclusive"

type Locks = ReadonlyArray<readonly [name: string, mode: Mode]>

/** What a command does next, if no lock holds it up. */
export interface Step {
  /** In words, after the name of the command, such as `locks pets 1`. */
  readonly text: string
  /** The locks that it takes. */
  readonly locks: Locks
  /** What it reads and writes of what others see, as names of rows, tables and locks. */
  readonly reads: ReadonlyArray<string>
  readonly writes: ReadonlyArray<string>
  /** The logs that it adds to: two steps may do so in any order. */
  readonly appends?: ReadonlyArray<string>
  /** The table of which it locks the rows that no other has locked. */
  readonly claims?: string
  readonly take: () => void
}

/** How a command has ended. */
export type End =
  | { readonly kind: "succeeded"; readonly value: unknown }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "died"; readonly defect: unknown }

const verbs: Readonly<Record<Reading, string>> = {
  find: "reads",
  lock: "locks",
  lockShared: "takes a shared lock on"
}

const modes: Readonly<Record<Reading, ReadonlyArray<Mode>>> = { find: [], lockShared: ["shared"], lock: ["exclusive"] }

const lockOf = (name: string): string => `lock of ${name}`

const overlap = (some: ReadonlyArray<string>, others: ReadonlyArray<string>): boolean =>
  some.some((one) => others.includes(one))

/** Whether another step sees what a step does, or does it first. */
const affects = ({ appends = [], claims, writes }: Step, other: Step): boolean =>
  overlap(writes, [...other.reads, ...other.writes]) ||
  overlap(appends, other.reads) ||
  (claims !== undefined &&
    (other.claims === claims ||
      [...other.reads, ...other.writes].some((name) => name.startsWith(lockOf(`${claims} `)))))

/** Whether two steps lead to the same in either order. */
export const commute = (one: Step, other: Step): boolean => !affects(one, other) && !affects(other, one)

const codeOf = (error: unknown): string => {
  const code: unknown = Object(error).code
  return typeof code === "string" ? code : String(error)
}

export const describeEnd = (end: End): string => {
  if (end.kind === "succeeded") return "succeeds"
  return end.kind === "failed" ? `fails with ${codeOf(end.error)}` : `dies: ${Object(end.defect).message ?? end.defect}`
}

/**
 * One run of a command beside others, as on a store with row locks under READ COMMITTED: it sees what is committed when it reads, waits for
 * locks, and sees the newest row when it has one. What it writes is seen by no other before its commit.
 */
export class RunningCommand implements Source {
  readonly storesNew = false
  readonly world: World
  readonly held = new Map<string, Mode>()
  /** The rows that it has added with a key of its own, unless it has failed. */
  readonly added: Array<string> = []
  private readonly program: Program
  private readonly isHeldByOther: (lock: string) => boolean
  private readonly transaction: Transaction
  private readonly command: Generator<Yielded, unknown, unknown>
  /** Ids that do not depend on what other commands do. */
  private lastId: number
  private current: Step | undefined
  private ending: End | undefined

  constructor(program: Program, world: World, place: number, isHeldByOther: (lock: string) => boolean) {
    this.program = program
    this.world = world
    this.isHeldByOther = isHeldByOther
    this.lastId = 1000 * (place + 1)
    this.transaction = new Transaction(this)
    this.command = program.begin(this.transaction)
    this.advance(() => this.command.next())
  }

  /** Undefined if the command is over. */
  get step(): Step | undefined {
    return this.current
  }

  get end(): End | undefined {
    return this.ending
  }

  load<Row, K extends number | string>(reading: Reading, table: Table<Row, K>, key: K): typeof pending {
    const as = this.program.readsAs?.(reading, table.name) ?? reading
    const name = `${table.name} ${key}`
    const locks: Locks = modes[as].map((mode) => [name, mode])
    this.current = this.stepOf(`${verbs[as]} ${name}`, locks, [name], () => {
      const row = this.world.find(table, key)
      if (row !== undefined || locksMissing(table.name)) this.hold(locks)
      this.resume(row)
    })
    return pending
  }

  select<Row, Argument, K extends number | string>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): typeof pending {
    return this.look(query, argument, (rows) => rows.slice(0, limit))
  }

  count<Row, Argument, K extends number | string>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): typeof pending {
    return this.look(query, argument, ({ length }) => Math.min(length, limit))
  }

  claim<Row, Argument, K extends number | string>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): typeof pending {
    const { keyOf, name } = query.table
    const lockName = (row: Row): string => `${name} ${keyOf(row)}`
    const step = this.stepOf(`claims ${query.name}`, [], [name], () => {
      const free = this.world.select(query, argument).filter((row) => !this.isHeldByOther(lockName(row)))
      const rows = free.slice(0, limit)
      this.hold(rows.map((row) => [lockName(row), "exclusive"]))
      this.resume(rows)
    })
    this.current = { ...step, claims: name }
    return pending
  }

  findAll<Row, K extends number | string>(table: Table<Row, K>, keys: ReadonlyArray<K>): typeof pending {
    const names = keys.map((key) => `${table.name} ${key}`)
    this.current = this.stepOf(`reads ${names.join(", ")}`, [], names, () =>
      this.resume(this.world.findAll(table, keys))
    )
    return pending
  }

  scan(after: number, limit: number): typeof pending {
    this.current = this.stepOf(`reads events after ${after}`, [], ["events"], () =>
      this.resume(this.world.scan(after, limit))
    )
    return pending
  }

  last(): typeof pending {
    this.current = this.stepOf("sees the end of events", [], ["events"], () => this.resume(this.world.last))
    return pending
  }

  insert<Row>(table: Table<Row>, rowsOf: ReadonlyArray<(id: number) => Row>): typeof pending {
    const rows = rowsOf.map((rowOf) => rowOf(++this.lastId))
    const names = rows.flatMap((row) => uniqueNameOf(table.name, row) ?? [])
    const text = `adds ${[table.name, ...names.map(({ text }) => text)].join(" ")}`
    const locks: Locks = names.map(({ lock }) => [lock, "exclusive"])
    this.current = this.stepOf(text, locks, names.length === 0 ? [] : [table.name], () => {
      const taken = names.find(({ range }) => this.world.has(tableNamed(table.name), range))
      if (taken !== undefined) return this.finish({ kind: "failed", error: taken.taken() })
      this.hold(locks)
      this.hold(rows.map((row) => [rowName(table.name, row), "exclusive"]))
      this.resume(rows)
    })
    return pending
  }

  private look<Row, Argument, K extends number | string>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    toFound: (rows: ReadonlyArray<Row>) => unknown
  ): typeof pending {
    const { isExclusive, name, table } = query
    const claimed = typeof argument === "object" || argument === undefined ? name : `${name} ${argument}`
    const locks: Locks = isExclusive ? [[claimed, "exclusive"]] : []
    this.current = this.stepOf(`looks for ${name} ${JSON.stringify(argument)}`, locks, [table.name], () => {
      this.hold(locks)
      this.resume(toFound(this.world.select(query, argument)))
    })
    return pending
  }

  private stepOf(text: string, locks: Locks, reads: ReadonlyArray<string>, take: () => void): Step {
    const namesOf = (wanted: Mode) => locks.flatMap(([name, mode]) => (mode === wanted ? [lockOf(name)] : []))
    return { text, locks, reads: [...reads, ...namesOf("shared")], writes: namesOf("exclusive"), take }
  }

  private hold(locks: Locks): void {
    for (const [name, mode] of locks) if (this.held.get(name) !== "exclusive") this.held.set(name, mode)
  }

  private resume(found: unknown): void {
    this.advance(() => this.command.next(this.transaction.answer(found)))
  }

  /** Runs the command until it waits or ends. */
  private advance(next: () => IteratorResult<Yielded, unknown>): void {
    try {
      const { done, value } = next()
      if (done === true) this.finish({ kind: "succeeded", value })
      else if (value instanceof Failed) this.finish({ kind: "failed", error: value.error })
    } catch (defect) {
      this.finish({ kind: "died", defect })
    }
  }

  private finish(end: End): void {
    this.ending = end
    if (end.kind !== "succeeded") this.added.length = 0
    this.current = end.kind === "succeeded" ? this.nextWrite(0) : this.lastStep(describeEnd(end), [], () => {})
  }

  /** The next write that may have to wait, from a place among the writes on; the commit if there is none. */
  private nextWrite(start: number): Step {
    const { writes } = this.transaction
    for (let place = start; place < writes.length; place++) {
      const write = writes[place]
      if (write === undefined || !("row" in write)) continue
      const { before, row, table } =
        "remove" in write ? { table: write.remove, row: write.row, before: write.row } : write
      const rowKey = rowName(table, row)
      const hasOwnKey =
        !locksMissing(table) && !tableNamed(table).generatesIds && tableNamed(table).ownerOf === undefined
      if (before === undefined && !this.held.has(rowKey) && hasOwnKey) this.added.push(rowKey)
      const [name, old] = [uniqueNameOf(table, row), uniqueNameOf(table, before)]
      const isRenamed = name !== undefined && name.text !== old?.text && !this.held.has(name.lock)
      const isUnlocked = this.held.get(rowKey) !== "exclusive" && (before !== undefined || locksMissing(table))
      if (old !== undefined && name?.text !== old.text) this.hold([[old.lock, "exclusive"]])
      if (!isRenamed && !isUnlocked) continue
      const locks: Locks = [...(isUnlocked ? [rowKey] : []), ...(isRenamed ? [name.lock] : [])].map((one) => [
        one,
        "exclusive"
      ])
      return this.stepOf(`writes ${rowKey}`, locks, isRenamed ? [table] : [], () => {
        if (isRenamed && this.world.has(tableNamed(table), name.range)) {
          return this.finish({ kind: "failed", error: name.taken() })
        }
        this.hold(locks)
        this.current = this.nextWrite(place + 1)
      })
    }
    const written = writes.flatMap((write) => {
      if (!("row" in write)) return []
      const table = "remove" in write ? write.remove : write.table
      return [table, rowName(table, write.row)]
    })
    const appends = writes.flatMap((write) => ("log" in write ? [write.log] : []))
    return { ...this.lastStep("commits", written, () => this.world.commit(writes)), appends }
  }

  private lastStep(text: string, writes: ReadonlyArray<string>, take: () => void): Step {
    const released = [...this.held.keys()].map(lockOf)
    return {
      text,
      locks: [],
      reads: [],
      writes: [...writes, ...released],
      take: () => {
        this.held.clear()
        this.current = undefined
        try {
          take()
        } catch (defect) {
          this.ending = { kind: "died", defect }
        }
      }
    }
  }
}
