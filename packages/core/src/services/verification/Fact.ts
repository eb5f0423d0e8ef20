import type { MessageStatus } from "../../domain/Message.ts"
import type { Movement } from "../../domain/Movement.ts"
import type { EventRecord } from "../../ports/EventRows.ts"
import type { Answer } from "./AnswerChecks.ts"
import type { OrderEventOfPet } from "./EventChecks.ts"
import type { MessageSide } from "./MessageChecks.ts"
import type { OrderOfPet } from "./OrderChecks.ts"

/** What one part of the store says of a row in another. */
export type Fact =
  | { readonly kind: "answer"; readonly answer: Answer; readonly id: number | string }
  | { readonly kind: "event"; readonly event: EventRecord }
  | { readonly kind: "orderEvent"; readonly event: OrderEventOfPet }
  | { readonly kind: "order"; readonly order: OrderOfPet }
  | { readonly kind: "movement"; readonly movement: Movement }
  | { readonly kind: "pet"; readonly id: number; readonly deleted: boolean; readonly categoryId: number }
  | { readonly kind: "message"; readonly side: MessageSide; readonly id: string; readonly status: MessageStatus }
