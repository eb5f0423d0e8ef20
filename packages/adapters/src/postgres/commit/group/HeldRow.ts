import * as Exit from "effect/Exit"
import { type LeavingReason, left } from "./leaving.ts"

/** Runs a step of a body after the step of another one that runs now. */
export type Later = (step: () => void) => void

/** A body, as the rows that it has and wants see it. */
export interface RowHolder {
  /** Rows that it waits for. */
  readonly waitsFor: Set<HeldRow<unknown>>
  /** Notes that it has a row. */
  hold(row: HeldRow<unknown>): void
  /** Makes it leave the group: what it still does has no effect, and it is undone when it ends. */
  leave(reason: LeavingReason): unknown
  /** Undoes its changes. */
  undo(): void
}

/** What bodies see of the records of a table: a copy, or nothing of a deleted one. */
export interface RowView<A> {
  view(record: A): A | undefined
}

interface Waiter {
  readonly body: RowHolder
  readonly wake: (defect?: Exit.Exit<never>) => void
}

/** A row that a group holds locked in the database, or is about to lock. One of its bodies has it at a time. */
export class HeldRow<A> {
  readonly key: number | string
  /** The record as the bodies that ended have left it, and the one that has it now; undefined if there is none. */
  record: A | undefined
  /** The record as the bodies that ended have left it; undefined if none that had it has ended. */
  settled: A | undefined
  /** What {@link HeldRow.record} is in the database; undefined if there is no row. */
  stored: A | undefined
  /** Whether the group holds it locked and knows its record. */
  isLocked: boolean
  private owner: RowHolder | undefined
  private readonly waiters: Array<Waiter> = []
  private sharers: Array<Waiter> = []
  private readonly table: RowView<A>
  private readonly later: Later

  constructor(key: number | string, isLocked: boolean, table: RowView<A>, later: Later) {
    this.key = key
    this.isLocked = isLocked
    this.table = table
    this.later = later
  }

  /** What bodies see. */
  get visible(): A | undefined {
    return this.record === undefined ? undefined : this.table.view(this.record)
  }

  /** Whether any body waits for it. */
  get isWanted(): boolean {
    return this.waiters.length > 0
  }

  isOwnedBy(body: RowHolder): boolean {
    return this.owner === body
  }

  /** Gives it to a body, if no other one has it. */
  take(body: RowHolder): boolean {
    if (this.owner !== undefined) return this.owner === body
    this.owner = body
    body.hold(this)
    return true
  }

  /** Makes a body wait until no other one has it. `settle` gets what the body sees then, or the defect that ends it. */
  wait(body: RowHolder, settle: (outcome: Exit.Exit<A | undefined>) => void): void {
    this.waiters.push(this.waiter(body, settle))
    body.waitsFor.add(this)
  }

  /** Makes a body wait until the group has locked it. Bodies that share a row do not wait for each other. */
  share(body: RowHolder, settle: (outcome: Exit.Exit<A | undefined>) => void): void {
    this.sharers.push(this.waiter(body, settle))
  }

  /** Notes that the group has locked it, with this record in the database. */
  locked(record: A | undefined): void {
    this.isLocked = true
    this.stored = record
    this.record ??= record
    for (const { wake } of this.takeSharers()) this.later(wake)
    this.pass()
  }

  /** Ends the wait of all bodies, which `leave` makes leave the group. */
  refuse(leave: (body: RowHolder) => void): void {
    for (const { body, wake } of [...this.waiters.splice(0), ...this.takeSharers()]) {
      body.waitsFor.delete(this)
      leave(body)
      this.later(() => wake(left))
    }
  }

  /** Takes it from the body that has it, which has ended. */
  release(): void {
    this.settled = this.record
    this.owner = undefined
    if (this.isLocked) this.pass()
  }

  /**
   * Whether a body that begins to wait for it would wait for itself: the body has a row that one of those before it waits
   * for, directly or through others.
   */
  wouldDeadlock(body: RowHolder, seen = new Set<HeldRow<unknown>>()): boolean {
    if (seen.has(this)) return false
    seen.add(this)
    const before = this.waiters.map((waiter) => waiter.body)
    if (this.owner !== undefined) before.push(this.owner)
    return before.some((other) => other === body || [...other.waitsFor].some((next) => next.wouldDeadlock(body, seen)))
  }

  /** Gives it to the body that has waited longest, if it is free. */
  private pass(): void {
    if (this.owner !== undefined) return
    const next = this.waiters.shift()
    if (next === undefined) return
    this.take(next.body)
    next.body.waitsFor.delete(this)
    this.later(next.wake)
  }

  private waiter(body: RowHolder, settle: (outcome: Exit.Exit<A | undefined>) => void): Waiter {
    return { body, wake: (defect) => settle(defect ?? Exit.succeed(this.visible)) }
  }

  private takeSharers(): ReadonlyArray<Waiter> {
    const { sharers } = this
    this.sharers = []
    return sharers
  }
}
