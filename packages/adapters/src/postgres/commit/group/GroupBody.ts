import { StorageCalls } from "@petstore/core/adapter-toolkit"
import type { EventToAppend, IdempotencyRecord } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { unnumbered } from "../../events/appendEvents.ts"
import type { PostgresTransaction } from "../../statements/Statement.ts"
import { type AddedRows, Additions } from "./Additions.ts"
import type { GroupTables } from "./GroupTables.ts"
import type { HeldRow, RowHolder } from "./HeldRow.ts"
import type { HeldTable } from "./HeldTable.ts"
import { type LeavingReason, left } from "./leaving.ts"
import type { NewIds } from "./NewIds.ts"

/**
 * One run of a body in a group, as its storage calls see it. It works on rows in memory that the group holds locked; its
 * changes go to the database with those of the group. A call that groups cannot serve makes it leave: it is undone, and runs
 * again in a transaction of its own.
 */
export class GroupBody implements PostgresTransaction, RowHolder {
  readonly calls = new StorageCalls()
  readonly additions = new Additions()
  /** Rows that it waits for. */
  readonly waitsFor = new Set<HeldRow<unknown>>()
  readonly tables: GroupTables
  private readonly held: Array<HeldRow<unknown>> = []
  private readonly undoings: Array<() => void> = []
  private reason: LeavingReason | undefined

  constructor(tables: GroupTables) {
    this.tables = tables
  }

  /** Why it leaves the group; undefined if it does not. */
  get leaves(): LeavingReason | undefined {
    return this.reason
  }

  /** Whether it changed or added anything. */
  get wrote(): boolean {
    return this.undoings.length > 0 || !this.additions.isEmpty
  }

  /** Returns a record that no other body can change or lock until this one ends. */
  lock<A>(table: HeldTable<A>, key: number | string): Effect.Effect<A | undefined> {
    if (this.reason !== undefined) return left
    const row = table.want(key)
    if (row.isLocked && row.take(this)) return Exit.succeed(row.visible)
    if (this.mayBlock && row.wouldDeadlock(this)) return this.leave("again")
    return this.calls.call((settle) => row.wait(this, settle))
  }

  /** Returns a record that no other transaction can change or delete until the group ends. No body of the group does. */
  share<A>(table: HeldTable<A>, key: number | string): Effect.Effect<A | undefined> {
    if (this.reason !== undefined) return left
    const row = table.want(key)
    if (row.isLocked) return Exit.succeed(row.visible)
    return this.calls.call((settle) => row.share(this, settle))
  }

  /**
   * Locks the record of an idempotency key. Almost every key is new, so a key that the group has not locked yet counts as new,
   * which saves a round trip. The body runs again if that was wrong.
   */
  lockNew(key: string): Effect.Effect<IdempotencyRecord | undefined> {
    if (this.reason !== undefined) return left
    const { assumptions, isUnlocked, keys } = this.tables
    if (keys.find(key) !== undefined || !isUnlocked) return this.lock(keys, key)
    const row = keys.want(key)
    row.take(this)
    assumptions.set(row, this)
    return Exit.succeed(undefined)
  }

  /** Returns a record that this body has locked. Leaves the group for others: it could read a state that is locked too early. */
  find<A>(table: HeldTable<A>, key: number | string): Effect.Effect<A | undefined> {
    const row = table.find(key)
    return row?.isOwnedBy(this) ? Exit.succeed(row.visible) : this.leave("irregular")
  }

  /** Changes a record that this body has locked. */
  save<A>(table: HeldTable<A>, key: number | string, change: (record: A) => A): Effect.Effect<void> {
    const record = table.find(key)?.record
    return record === undefined ? this.leave("irregular") : this.put(table, key, change(record))
  }

  /** Changes or adds a record whose key this body has locked. */
  put<A>(table: HeldTable<A>, key: number | string, record: A): Effect.Effect<void> {
    if (this.reason !== undefined) return left
    const row = table.find(key)
    if (row === undefined || !row.isOwnedBy(this)) return this.leave("irregular")
    const before = row.record
    this.undoings.push(() => {
      row.record = before ?? row.stored
    })
    row.record = table.copy(record)
    return Exit.void
  }

  /** Adds a record with a new id. */
  insert<A>(table: HeldTable<A>, ids: NewIds, make: (id: number) => A): Effect.Effect<number> {
    if (this.reason !== undefined) return left
    const insert = (id: number): Exit.Exit<number> => {
      const row = table.add(id)
      row.record = table.copy(make(id))
      row.take(this)
      this.undoings.push(() => {
        table.remove(row)
        ids.giveBack(id)
      })
      return Exit.succeed(id)
    }
    const id = ids.take()
    return id === undefined ? this.calls.call((settle) => ids.wait((next) => settle(insert(next)))) : insert(id)
  }

  /** Adds to a table whose rows never change. */
  addTo<Kind extends keyof AddedRows>(kind: Kind, row: AddedRows[Kind]): Effect.Effect<void> {
    if (this.reason !== undefined) return left
    this.additions.push(kind, { ...row })
    return Exit.void
  }

  append(event: EventToAppend): Effect.Effect<void> {
    return this.addTo("events", unnumbered(event))
  }

  readonly execute = (): Effect.Effect<never> => this.leave("irregular")
  readonly claim = (): Effect.Effect<never> => this.leave("irregular")
  readonly run = (): Effect.Effect<never> => this.leave("irregular")

  /** Makes it leave the group: what it still does has no effect, and it is undone when it ends. */
  leave(reason: LeavingReason): Exit.Exit<never> {
    this.reason ??= reason
    return left
  }

  /** Notes that it has a row. */
  hold(row: HeldRow<unknown>): void {
    this.held.push(row)
  }

  /** Undoes its changes. */
  undo(): void {
    for (const undo of this.undoings.splice(0).reverse()) undo()
  }

  /** Gives its rows to the bodies that wait for them. */
  release(): void {
    for (const row of this.held.splice(0)) row.release()
  }

  /** Whether any other body may wait for this one. */
  private get mayBlock(): boolean {
    return this.waitsFor.size > 0 || this.held.some((row) => row.isWanted)
  }
}
