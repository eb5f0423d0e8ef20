import { AdjustmentReason, hasDetails, type Movement } from "../domain/inventory/Movement.ts"
import { columnsOf, isOneOf, query, table } from "../kernel/Table.ts"

const movement = columnsOf<Movement>()

const adjustments = AdjustmentReason.literals

/** The ledger of the pets' stock. */
export const movements = table<Movement, string>("movements", {
  key: ["pet_id", "seq"],
  keyOf: ({ petId, seq }) => `${String(petId).padStart(16, "0")} ${String(seq).padStart(16, "0")}`,
  keyValues: (key) => key.split(" ").map(Number),
  columns: {
    pet_id: movement.integer("petId", ({ petId }) => petId),
    seq: movement.integer("seq", ({ seq }) => seq),
    kind: movement.text("kind", ({ kind }) => kind),
    delta_on_hand: movement.integer("deltaOnHand", ({ deltaOnHand }) => deltaOnHand),
    delta_reserved: movement.integer("deltaReserved", ({ deltaReserved }) => deltaReserved),
    order_id: movement.integer("orderId?", ({ orderId }) => orderId),
    actor: movement.text("actor", ({ actor }) => actor),
    at: movement.time("at", ({ at }) => at),
    note: movement.text("note?", ({ note }) => note),
    reference: movement.text("reference?", ({ reference }) => reference),
    occurred_at: movement.time("occurredAt?", ({ occurredAt }) => occurredAt)
  },
  references: { pet_id: "pets", order_id: "orders" },
  checks: [
    "seq >= 1",
    `CASE kind
    WHEN 'initial' THEN delta_on_hand >= 0 AND delta_reserved = 0
    WHEN 'set' THEN delta_reserved = 0
    WHEN 'held' THEN delta_on_hand = 0 AND delta_reserved = 0
    WHEN 'unheld' THEN delta_on_hand = 0 AND delta_reserved = 0
    WHEN 'reserved' THEN delta_on_hand = 0 AND delta_reserved >= 0
    WHEN 'unreserved' THEN delta_on_hand = 0 AND delta_reserved <= 0
    WHEN 'shipped' THEN delta_on_hand <= 0 AND delta_reserved = delta_on_hand
    WHEN 'cancelled' THEN delta_on_hand = 0 AND delta_reserved <= 0
    WHEN 'expired' THEN delta_on_hand = 0 AND delta_reserved <= 0
    WHEN 'written_off' THEN delta_on_hand <= 0 AND delta_reserved = 0
    WHEN 'removed' THEN delta_on_hand <= 0 AND delta_reserved = 0
${adjustments.map((reason) => `    WHEN '${reason}' THEN delta_reserved = 0`).join("\n")}
    ELSE FALSE
  END`,
    "note <> ''",
    "reference <> ''",
    `note IS NULL AND reference IS NULL AND occurred_at IS NULL OR ${isOneOf("kind", adjustments)}`
  ],
  numberedBy: "pet_id",
  copy: (one) => {
    if (hasDetails(one)) return { ...one }
    const { actor, at, deltaOnHand, deltaReserved, kind, orderId, petId, seq } = one
    return orderId === undefined
      ? { petId, seq, kind, deltaOnHand, deltaReserved, actor, at }
      : { petId, seq, kind, deltaOnHand, deltaReserved, orderId, actor, at }
  }
})

const rangesOfMovements = ({ after, petId }: { readonly petId: number; readonly after: number }) => [
  { equal: { pet_id: petId }, after: [after] }
]

/** The movements of a pet behind one of them. */
export const movementsOf = query(movements, "movementsOf", rangesOfMovements)

/** The movements of a pet before one of them, the latest first. */
export const movementsReversedOf = query(movements, "movementsReversedOf", rangesOfMovements, { isReversed: true })
