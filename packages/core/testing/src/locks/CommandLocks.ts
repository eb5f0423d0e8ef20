import type { CommandName } from "@petstore/core/ports"
import { type LockRule, LockViolation } from "./LockViolation.ts"
import { lockOrder, readable, unchanging } from "./lockPlan.ts"

type Key = number | string

type Mode = "shared" | "exclusive"

/** What one transaction has locked and read so far. Its methods throw a {@link LockViolation} for what breaks a rule. */
export class CommandLocks {
  readonly command: CommandName | undefined
  private readonly held = new Map<string, Mode>()
  private readonly rowsRead = new Set<string>()
  private latest: { readonly rank: number; readonly key: Key } | undefined
  private ended = false

  constructor(command: CommandName | undefined) {
    this.command = command
  }

  /** The transaction is over. */
  end(): void {
    this.ended = true
  }

  /** Checks any statement: none may run after the end. */
  statement(name: string): void {
    if (this.ended) this.refuse(name, "ended")
  }

  /** A statement that only commands run. */
  ofCommand(name: string): void {
    this.statement(name)
    if (this.command === undefined) this.refuse(name, "named")
  }

  /**
   * Reads without a lock: `row` says what, if it is about a single one. Outside of commands, as in a transaction of the host
   * application, it is allowed. `isGuarded`: whether a lock keeps it as it is.
   */
  read(name: string, row = name, isGuarded = false): void {
    this.statement(row)
    if (this.command === undefined) return
    const allowed = readable[this.command]
    if (!isGuarded && allowed?.[name] === undefined && allowed?.["*"] === undefined) this.refuse(row, "locked")
    this.readOnce(row)
  }

  /** Reads a row and locks it. */
  lock(table: string, key: Key): void {
    const row = `${table} ${key}`
    this.ofCommand(row)
    this.readOnce(row)
    this.takeTurn(table, key)
  }

  /** A row that was locked, or is new. */
  hold(table: string, key: Key, mode: Mode = "exclusive"): void {
    this.held.set(`${table} ${key}`, mode)
  }

  /** Takes a lock whose row is not read, or may be taken again. */
  takeTurn(table: string, key: Key): void {
    const row = `${table} ${key}`
    this.ofCommand(row)
    const rank = lockOrder.indexOf(table)
    if (rank < 0) return
    const { latest } = this
    if (latest !== undefined && (rank < latest.rank || (rank === latest.rank && key < latest.key))) {
      this.refuse(row, "ordered")
    }
    this.latest = { rank, key }
  }

  /** Writes a row that this one is, or belongs to. */
  save(table: string, key: Key): void {
    const row = `${table} ${key}`
    this.ofCommand(row)
    if (!this.holds(table, key)) this.refuse(row, "saved")
  }

  /** Whether this row is locked exclusively. */
  holds(table: string, key: Key): boolean {
    return this.held.get(`${table} ${key}`) === "exclusive"
  }

  /** Whether a row of this table is locked exclusively. */
  holdsOf(table: string): boolean {
    return [...this.held].some(([row, mode]) => mode === "exclusive" && row.startsWith(`${table} `))
  }

  /** Has read without a lock a row that belongs to this one. */
  guardedBy(table: string, key: Key): void {
    if (this.command !== undefined && !this.holds(table, key)) this.refuse(`${table} ${key}`, "locked")
  }

  /** Writes a row that refers to this one. */
  refer(table: string, key: Key): void {
    const row = `${table} ${key}`
    const isKnown = this.held.has(row) || (unchanging.includes(table) && this.rowsRead.has(row))
    if (!isKnown) this.refuse(row, "referenced")
  }

  private readOnce(row: string): void {
    if (this.rowsRead.has(row)) this.refuse(row, "once")
    this.rowsRead.add(row)
  }

  private refuse(row: string, rule: LockRule): never {
    throw new LockViolation(this.command, row, rule)
  }
}
