import { type EndedState, orderStatesWhere } from "../domain/orders/OrderState.ts"
import { type Condition, columnsOf, isOneOf, query, type Range, table } from "../kernel/Table.ts"
import { indexOf, type OrderQuery, type OrderRecord, orders } from "./orderTable.ts"

/** How an order ended that was not shipped: what its row does not say, and what lists of such orders select by. */
export interface EndingRecord {
  readonly orderId: number
  readonly state: EndedState
  readonly petId?: number
  readonly owner?: string
  /** Who did it, as in the ledger. */
  readonly actor: string
  /** What the caller said about it. */
  readonly reason?: string
}

const ending = columnsOf<EndingRecord>()

const ofPet: Condition = { column: "pet_id", isPresent: true }
const owned: Condition = { column: "owner", isPresent: true }

/** The ends of orders whose last event is in the log: they are removed with it. The lock of the order keeps its row as it is. */
export const endings = table<EndingRecord>("endings", {
  key: ["order_id"],
  columns: {
    order_id: ending.integer("orderId", ({ orderId }) => orderId),
    state: ending.text("state", ({ state }) => state),
    pet_id: ending.integer("petId?", ({ petId }) => petId),
    owner: ending.text("owner?", ({ owner }) => owner),
    actor: ending.text("actor", ({ actor }) => actor),
    reason: ending.text("reason?", ({ reason }) => reason)
  },
  references: { order_id: "orders" },
  checks: [
    isOneOf(
      "state",
      orderStatesWhere(({ visible }) => !visible)
    ),
    "owner <> ''",
    "actor <> ''",
    "reason <> ''"
  ],
  ownerOf: ({ orderId }) => ({ table: orders, key: orderId }),
  indexes: {
    state: { equal: ["state"], order: ["order_id"] },
    pet: { equal: ["pet_id", "state"], order: ["order_id"], where: [ofPet] },
    owner: { equal: ["owner", "state"], order: ["order_id"], where: [owned] },
    owner_pet: { equal: ["owner", "pet_id", "state"], order: ["order_id"], where: [owned, ofPet] }
  }
})

/** The end of an order, as it is afterwards. */
export const endingOf = (
  { id, order: { petId, state }, owner }: OrderRecord,
  actor: string,
  reason?: string
): EndingRecord => ({
  orderId: id,
  state: state as EndedState,
  ...(petId === undefined ? {} : { petId }),
  ...(owner === undefined ? {} : { owner }),
  actor,
  ...(reason === undefined ? {} : { reason })
})

/** A list of ended orders reads one range, of their state. None of them is complete. */
const rangesOfEndings = ({ after, complete, owner, petId, state }: OrderQuery): ReadonlyArray<Range> =>
  complete === true
    ? []
    : [
        {
          index: indexOf(owner, petId),
          equal: {
            ...(owner === undefined ? {} : { owner }),
            ...(petId === undefined ? {} : { pet_id: petId }),
            state
          },
          after: [after]
        }
      ]

/** The ends of orders in ascending id of the orders. */
export const endingsBy = query(endings, "endingsBy", rangesOfEndings)

/** The same in descending id. */
export const endingsReversedBy = query(endings, "endingsReversedBy", rangesOfEndings, { isReversed: true })
