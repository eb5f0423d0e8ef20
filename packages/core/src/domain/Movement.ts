import * as Schema from "effect/Schema"
import { Id, integer } from "./Id.ts"
import { limits } from "./limits.ts"
import { Timestamp } from "./Timestamp.ts"

/** Why stock changed. */
export const MovementKind = Schema.Literals([
  "initial",
  "set",
  "held",
  "unheld",
  "reserved",
  "unreserved",
  "shipped",
  "cancelled",
  "written_off",
  "removed",
  "expired"
]).annotate({ identifier: "MovementKind" })
export type MovementKind = typeof MovementKind.Type

const StockDelta = integer(-limits.stock, limits.stock)

/** One entry of the append-only stock ledger. */
export const Movement = Schema.Struct({
  petId: Id,
  /** 1, 2, 3, ... for each pet, without a gap. */
  seq: Id,
  kind: MovementKind,
  deltaOnHand: StockDelta,
  deltaReserved: StockDelta,
  /** The order that caused it, if one did. */
  orderId: Schema.optionalKey(Id),
  /** Who did it: `owner` in process, `key:<id>` over HTTP. */
  actor: Schema.String,
  at: Timestamp
}).annotate({ identifier: "Movement" })
export interface Movement extends Schema.Schema.Type<typeof Movement> {}
