import type { CommandName } from "@petstore/core/ports"
import { type LockRule, LockViolation } from "./LockViolation.ts"
import { type Lockable, lockOrder, readable, type UnlockedRead } from "./lockPlan.ts"

type Id = number | string

type Mode = "shared" | "exclusive"

interface Held {
  readonly mode: Mode
  /** The id of the row that this one refers to, as it was when it was locked. */
  readonly reference: number | undefined
}

const isReadable = (command: CommandName, read: UnlockedRead): boolean => readable[command]?.[read] !== undefined

/** What one transaction has locked and read so far. Its methods throw a {@link LockViolation} for what breaks a rule. */
export class CommandLocks {
  readonly command: CommandName | undefined
  private readonly held = new Map<string, Held>()
  private readonly rowsRead = new Set<string>()
  private latest: { readonly rank: number; readonly id: Id } | undefined
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
   * Reads without a lock: one row if `key` says which. Outside of commands, as in a transaction of the host application, it
   * is allowed.
   */
  read(name: UnlockedRead, key?: string): void {
    const row = key ?? name
    this.statement(row)
    if (this.command === undefined) return
    if (!isReadable(this.command, name)) this.refuse(row, "locked")
    this.readOnce(row)
  }

  /** Reads a row and locks it. */
  lock(kind: Lockable, id: Id): void {
    const key = `${kind} ${id}`
    this.ofCommand(key)
    this.readOnce(key)
    this.takeTurn(kind, id, key)
  }

  /** A row that was locked was there. */
  hold(kind: Lockable, id: Id, mode: Mode, reference?: number): void {
    this.held.set(`${kind} ${id}`, { mode, reference })
  }

  /** Takes a lock whose row is not read, or may be taken again. */
  takeTurn(kind: Lockable, id: Id, key = `${kind} ${id}`): void {
    this.ofCommand(key)
    const rank = lockOrder.indexOf(kind)
    const { latest } = this
    if (latest !== undefined && (rank < latest.rank || (rank === latest.rank && id < latest.id))) {
      this.refuse(key, "ordered")
    }
    this.latest = { rank, id }
  }

  /** Saves a row; returns the reference that it had when it was locked. */
  save(kind: Lockable, id: Id): number | undefined {
    const key = `${kind} ${id}`
    this.ofCommand(key)
    const held = this.held.get(key)
    if (held?.mode !== "exclusive") this.refuse(key, "saved")
    return held?.reference
  }

  /** Removes a row. What belongs to it must be removed before. */
  remove(kind: Lockable, id: Id): void {
    this.save(kind, id)
    this.held.delete(`${kind} ${id}`)
  }

  /** Whether this row is locked exclusively. */
  holds(kind: Lockable, id: Id): boolean {
    return this.held.get(`${kind} ${id}`)?.mode === "exclusive"
  }

  /** Reads without a lock what the exclusive lock on this row keeps as it is. */
  guardedBy(kind: Lockable, id: Id): void {
    const key = `${kind} ${id}`
    if (this.command !== undefined && this.held.get(key)?.mode !== "exclusive") this.refuse(key, "locked")
  }

  /** Writes a row that refers to this one. */
  refer(kind: Lockable, id: Id): void {
    const key = `${kind} ${id}`
    if (!this.held.has(key)) this.refuse(key, "referenced")
  }

  /** Writes a row that refers to one that never changes, so to have read it is enough. */
  referToRead(key: string): void {
    if (!this.rowsRead.has(key)) this.refuse(key, "referenced")
  }

  private readOnce(key: string): void {
    if (this.rowsRead.has(key)) this.refuse(key, "once")
    this.rowsRead.add(key)
  }

  private refuse(row: string, rule: LockRule): never {
    throw new LockViolation(this.command, row, rule)
  }
}
