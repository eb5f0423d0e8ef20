import type { MessageRecord, Movement } from "@petstore/core/domain"
import type { UnnumberedEvent } from "../../events/appendEvents.ts"

/** A request to remove expired idempotency records. */
export interface Purge {
  readonly createdAt: string
  readonly limit: number
}

/** What bodies add without locking anything, by kind. */
export interface AddedRows {
  readonly movements: Movement
  readonly messages: MessageRecord
  readonly events: UnnumberedEvent
  readonly purges: Purge
}

type Lists = { readonly [Kind in keyof AddedRows]: Array<AddedRows[Kind]> }

/** What one body or all bodies of a group add, in the order in which they did. */
export class Additions implements Lists {
  readonly movements: Array<Movement> = []
  readonly messages: Array<MessageRecord> = []
  readonly events: Array<UnnumberedEvent> = []
  readonly purges: Array<Purge> = []

  get isEmpty(): boolean {
    return this.movements.length + this.messages.length + this.events.length + this.purges.length === 0
  }

  push<Kind extends keyof AddedRows>(kind: Kind, row: AddedRows[Kind]): void {
    const list: Lists[Kind] = this[kind]
    list.push(row)
  }

  addAll(other: Additions): void {
    this.movements.push(...other.movements)
    this.messages.push(...other.messages)
    this.events.push(...other.events)
    this.purges.push(...other.purges)
  }
}
