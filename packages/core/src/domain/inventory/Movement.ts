import * as Schema from "effect/Schema"
import { Id, integer } from "../Id.ts"
import { limits } from "../limits.ts"
import { Timestamp } from "../Timestamp.ts"

/** Why units were added or taken away by hand. */
export const AdjustmentReason = Schema.Literals(["received", "damaged", "returned", "correction"]).annotate({
  identifier: "AdjustmentReason"
})
export type AdjustmentReason = typeof AdjustmentReason.Type

/** The reason of a movement that is an adjustment; undefined for any other one. */
export const reasonOf = (kind: MovementKind): AdjustmentReason | undefined => reasons.get(kind)

const reasons: ReadonlyMap<string, AdjustmentReason> = new Map(
  AdjustmentReason.literals.map((reason) => [reason, reason])
)

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
  "expired",
  ...AdjustmentReason.literals
]).annotate({ identifier: "MovementKind" })
export type MovementKind = typeof MovementKind.Type

/** What an adjustment of stock may say in addition to its reason. */
export interface AdjustmentDetails {
  readonly note?: string
  readonly reference?: string
  readonly occurredAt?: string
}

/** Whether a movement has a note, a reference or a time of its own, as only adjustments may. */
export const hasDetails = ({ note, occurredAt, reference }: AdjustmentDetails): boolean =>
  note !== undefined || reference !== undefined || occurredAt !== undefined

/** A change in units: a whole number from -(2^31 - 1) to 2^31 - 1. */
export const StockDelta = integer(-limits.stock, limits.stock)

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
  at: Timestamp,
  /** What the person who adjusted the stock has to say about it. */
  note: Schema.optionalKey(Schema.String),
  /** What it belongs to in the system of the caller. */
  reference: Schema.optionalKey(Schema.String),
  /** When it happened, if the caller gave another time than `at`. */
  occurredAt: Schema.optionalKey(Timestamp)
}).annotate({ identifier: "Movement" })
export interface Movement extends Schema.Schema.Type<typeof Movement> {}
