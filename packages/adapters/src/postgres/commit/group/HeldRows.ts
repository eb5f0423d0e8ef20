import type { MessageRecord, Movement } from "@petstore/core/domain"
import { Failed, pending, type Source, type Table, Transaction, type Write, type Yielded } from "@petstore/core/engine"
import type { CategoryRecord, EventToAppend, IdempotencyRecord, OrderRecord, PetRecord } from "@petstore/core/ports"
import * as Exit from "effect/Exit"
import { type UnnumberedEvent, unnumbered } from "../../events/appendEvents.ts"
import { HeldTable, type Key } from "./HeldTable.ts"
import { type IdBlock, NewIds } from "./IdBlock.ts"

/** Makes a command, which then runs from its start. */
export type Begin = (transaction: Transaction) => Generator<Yielded, unknown, unknown>

/**
 * Why a command has not ended: the group has to lock rows or fetch ids first, another transaction has a row of it, or it does what
 * groups cannot.
 */
export type Stop = "missing" | "busy" | "irregular"

/** How a command has ended. */
export interface Ended {
  readonly exit: Exit.Exit<unknown, unknown>
  readonly wrote: boolean
}

/** A request to remove expired idempotency records. */
export interface Purge {
  readonly before: string
  readonly limit: number
}

/** The ids that a store has fetched for new rows. */
export type IdBlocks = Readonly<Record<"orders" | "pets", IdBlock>>

const writtenTables = ["orders", "pets", "idempotency", "messages"]

/** Whether groups write this, beside events. */
const isWritten = (write: Write): boolean => {
  if ("table" in write) return writtenTables.includes(write.table)
  if ("log" in write) return write.log === "movements"
  return "purge" in write && write.purge === "idempotency"
}

/** The rows that one group holds, on which its commands run one after another, and what these have written. */
export class HeldRows implements Source {
  readonly storesNew = false
  readonly pets = new HeldTable<PetRecord>("lock")
  readonly orders = new HeldTable<OrderRecord>("lock")
  readonly categories = new HeldTable<CategoryRecord>("lockShared")
  readonly idempotency = new HeldTable<IdempotencyRecord>("lock")
  // Tables are known by their names, which types cannot follow.
  private readonly tables = {
    pets: this.pets,
    orders: this.orders,
    categories: this.categories,
    idempotency: this.idempotency
  } as unknown as Readonly<Record<string, HeldTable<unknown> | undefined>>
  readonly ids: Readonly<Record<"orders" | "pets", NewIds>>
  readonly events: Array<UnnumberedEvent> = []
  readonly movements: Array<Movement> = []
  readonly messages: Array<MessageRecord> = []
  readonly purges: Array<Purge> = []
  private stop: Stop | undefined

  constructor(blocks: IdBlocks) {
    this.ids = { orders: new NewIds(blocks.orders), pets: new NewIds(blocks.pets) }
  }

  /** Runs a command from its start, and keeps what it has written if it succeeds. Returns how it has ended, or why it has not. */
  run(begin: Begin): Ended | Stop {
    this.stop = undefined
    const transaction = new Transaction(this)
    const exit = this.exitOf(begin, transaction)
    const isKept = this.stop === undefined && Exit.isSuccess(exit)
    this.ids.orders.settle(isKept)
    this.ids.pets.settle(isKept)
    return this.stop ?? { exit, wrote: isKept && transaction.writes.length > 0 }
  }

  load<Row, K extends Key>(reading: string, { isLive, name }: Table<Row, K>, key: K): Row | undefined | typeof pending {
    const table = this.tables[name]
    if (table?.reading !== reading) return this.stopped("irregular")
    const held = table.find(key)
    if (held !== undefined) {
      const row = held.current as Row | undefined
      return row === undefined || !isLive(row) ? undefined : row
    }
    if (table.isRefused(key)) return this.stopped("busy")
    table.want(key)
    this.stopped("missing")
    // Nearly every key is new: as if it were, the command shows what else it wants. It has not ended, whatever it does.
    return name === "idempotency" ? undefined : pending
  }

  // What is not found by its id.
  readonly select = (): typeof pending => this.stopped("irregular")
  readonly count = this.select
  readonly claim = this.select
  readonly scan = this.select
  readonly last = this.select

  insert<Row>({ name }: Table<Row>, rowsOf: ReadonlyArray<(id: number) => Row>): ReadonlyArray<Row> | typeof pending {
    if (name !== "orders" && name !== "pets") return this.stopped("irregular")
    const ids = this.ids[name].take(rowsOf.length)
    return ids?.map((id, index) => (rowsOf[index] as (id: number) => Row)(id)) ?? this.stopped("missing")
  }

  private exitOf(begin: Begin, transaction: Transaction): Exit.Exit<unknown, unknown> {
    try {
      const { done, value } = begin(transaction).next()
      // One that waits for a row has stopped.
      if (done !== true) return value instanceof Failed ? Exit.fail(value.error) : Exit.void
      if (this.stop === undefined) this.keep(transaction.writes)
      return Exit.succeed(value)
    } catch (defect) {
      return Exit.die(defect)
    }
  }

  private keep(writes: ReadonlyArray<Write>): void {
    // Before anything is kept: data that cannot be encoded ends this command alone.
    const events: Array<UnnumberedEvent> = []
    for (const write of writes) {
      if ("log" in write && write.log === "events") {
        for (const event of write.rows) events.push(unnumbered(event as EventToAppend))
      } else if (!isWritten(write)) return void this.stopped("irregular")
    }
    this.events.push(...events)
    for (const write of writes) {
      if ("purge" in write) this.purges.push(write)
      else if ("log" in write) {
        if (write.log === "movements") this.movements.push(...(write.rows as ReadonlyArray<Movement>))
      } else if ("table" in write) {
        if (write.table === "messages") this.messages.push(write.row as MessageRecord)
        else this.tables[write.table]?.save(write.key, write.row)
      }
    }
  }

  private stopped(stop: Stop): typeof pending {
    this.stop = stop
    return pending
  }
}
