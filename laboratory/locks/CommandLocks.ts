import type { CommandName } from "@petstore/core/ports"
import { lockOrder, readable } from "./lockPlan.ts"

/** The rules that {@link withLockChecks} checks. */
const lockRules = {
  locked: "A row that a decision rests on must be locked, unless the command may merely read it.",
  ordered: "Locks must be taken in the one order of all commands, and ascending within one kind of row."
} as const

type LockRule = keyof typeof lockRules

/**
 * A transaction that breaks a rule of {@link withLockChecks}.
 */
export class LockViolation extends Error {
  override readonly name = "LockViolation"
  readonly command: CommandName | undefined
  /** Which row, such as `pets 7`, or which statement if it is about no single row, such as `pets.scan`. */
  readonly row: string
  readonly rule: LockRule

  constructor(command: CommandName | undefined, row: string, rule: LockRule) {
    super(`${command ?? "A transaction without a name"} broke the lock rule "${rule}" at ${row}. ${lockRules[rule]}`)
    this.command = command
    this.row = row
    this.rule = rule
  }
}

type Key = number | string

type Mode = "shared" | "exclusive"

/**
 * What one transaction has locked so far. Its methods throw a {@link LockViolation} for what breaks a rule. Outside of commands, as in
 * a transaction of the host application, everything is allowed.
 */
export class CommandLocks {
  readonly command: CommandName | undefined
  private readonly held = new Map<string, Mode>()
  private latest: { readonly rank: number; readonly key: Key } | undefined

  constructor(command: CommandName | undefined) {
    this.command = command
  }

  /** Reads without a lock: `row` says what, if it is about a single one. `isGuarded`: whether a lock keeps it as it is. */
  read(name: string, row = name, isGuarded = false): void {
    if (this.command === undefined || isGuarded) return
    const allowed = readable[this.command]
    if (allowed?.[name] === undefined && allowed?.["*"] === undefined) this.refuse(row, "locked")
  }

  /** A row that was locked, or is new. */
  hold(table: string, key: Key, mode: Mode = "exclusive"): void {
    this.held.set(`${table} ${key}`, mode)
  }

  /** Takes a lock. */
  takeTurn(table: string, key: Key): void {
    const rank = lockOrder.indexOf(table)
    if (this.command === undefined || rank < 0) return
    const { latest } = this
    if (latest !== undefined && (rank < latest.rank || (rank === latest.rank && key < latest.key))) {
      this.refuse(`${table} ${key}`, "ordered")
    }
    this.latest = { rank, key }
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

  private refuse(row: string, rule: LockRule): never {
    throw new LockViolation(this.command, row, rule)
  }
}
