import type { EventType } from "../events/Event.ts"
import type { IdempotencyRecord } from "../idempotency/idempotencyTable.ts"
import type { MovementKind } from "../inventory/Movement.ts"
import type { MessageRecord } from "../messages/MessageState.ts"
import type { OrderState } from "../orders/OrderState.ts"
import type { FoldedRow } from "./checkpoint/CheckpointState.ts"
import type { Row } from "./Finding.ts"

/** A record of an idempotency key, without the fingerprint, which nothing else in the store confirms. */
export type StoredResult = Omit<IdempotencyRecord, "fingerprint">

/** An order of a pet. */
export interface OrderOfPet {
  readonly orderId: number
  readonly petId: number
  readonly state: OrderState
  readonly quantity: number
}

/** An event of an order that has a pet. */
export interface OrderEventOfPet {
  readonly seq: number
  readonly type: EventType
  readonly orderId: number | string
  readonly petId: number
}

/** The `seq` of an event, which is read again together with the others about its row. */
export type EventReference = number

/** What one part of the store shows about a row in another: little, since a large store has many millions of them. */
export type Fact =
  | EventReference
  | readonly [kind: "storedResult", record: StoredResult, id: number | string]
  | readonly [kind: "folded", id: number | string, folded: FoldedRow]
  | readonly [kind: "creation", id: number | string, at: string, result: Row]
  | readonly [kind: "orderEvent", seq: number, type: EventType, orderId: number | string, petId: number]
  | readonly [kind: "order", orderId: number, petId: number, state: OrderState, quantity: number]
  | readonly [
      kind: "movement",
      petId: number,
      seq: number,
      movement: MovementKind,
      deltaOnHand: number,
      deltaReserved: number,
      orderId: number,
      actor: string,
      at: string
    ]
  | readonly [kind: "pet", id: number, deleted: boolean, categoryId: number]
  | readonly [kind: "message", record: MessageRecord]
