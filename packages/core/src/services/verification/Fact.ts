import type { EventType } from "../../domain/Event.ts"
import type { MessageRecord } from "../../domain/MessageState.ts"
import type { Movement } from "../../domain/Movement.ts"
import type { OrderState } from "../../domain/OrderState.ts"
import type { EventRecord } from "../../ports/EventRows.ts"
import type { IdempotencyRecord } from "../../ports/IdempotencyRows.ts"
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

/** What one part of the store shows about a row in another. */
export type Fact =
  | { readonly kind: "storedResult"; readonly record: StoredResult; readonly id: number | string }
  | { readonly kind: "folded"; readonly id: number | string; readonly folded: FoldedRow }
  | { readonly kind: "creation"; readonly id: number | string; readonly at: string; readonly result: Row }
  | { readonly kind: "event"; readonly event: EventRecord }
  | { readonly kind: "orderEvent"; readonly event: OrderEventOfPet }
  | { readonly kind: "order"; readonly order: OrderOfPet }
  | { readonly kind: "movement"; readonly movement: Movement }
  | { readonly kind: "pet"; readonly id: number; readonly deleted: boolean; readonly categoryId: number }
  | { readonly kind: "message"; readonly record: MessageRecord }
