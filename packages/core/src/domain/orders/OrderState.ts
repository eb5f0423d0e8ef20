/** The states of an order. Everything that depends on the state of an order is derived from this table. */

import type { MovementKind } from "../inventory/Movement.ts"

/** The state of an order: see {@link orderStates}. */
export type OrderState = "draft" | "open" | "complete" | "cancelled" | "expired"

/** What happened to an order, in the order in which it happened. Each has an event, such as `order.placed`. */
export type OrderFact = "placed" | "updated" | "completed" | "cancelled" | "expired"

/** A field of an order that depends on its state. */
export type OrderField = "petId" | "quantity" | "shipDate" | "expiresAt"

/** What it means for an order to be in a state. */
export interface OrderStateRules {
  /** The states that a command can change it to. A state without any is final. */
  readonly next: ReadonlyArray<OrderState>
  /** Whether it can be read and changed, and is listed without being asked for. Hidden orders stay stored, so that no id is given twice. */
  readonly visible: boolean
  /** The `complete` that callers see, and that lists filter by. */
  readonly complete: boolean
  /** What has happened to its units. */
  readonly units: "none" | "reserved" | "shipped"
  /** The fields that it has. */
  readonly required: ReadonlyArray<OrderField>
  /** The fields that it does not have. */
  readonly absent: ReadonlyArray<OrderField>
  /** For a final state: the fact that leads to it, and the last stock movement of an order with a pet. */
  readonly end?: { readonly fact: OrderFact; readonly movement: MovementKind }
}

/** Every state of an order. A new one is added here; the compiler and the tests show what else must change. */
export const orderStates: { readonly [State in OrderState]: OrderStateRules } = {
  draft: {
    next: ["open", "complete", "cancelled"],
    visible: true,
    complete: false,
    units: "none",
    required: [],
    absent: ["petId", "expiresAt"]
  },
  open: {
    next: ["complete", "cancelled", "expired"],
    visible: true,
    complete: false,
    units: "reserved",
    required: ["petId", "quantity"],
    absent: []
  },
  complete: {
    next: [],
    visible: true,
    complete: true,
    units: "shipped",
    required: ["petId", "quantity", "shipDate"],
    absent: ["expiresAt"],
    end: { fact: "completed", movement: "shipped" }
  },
  cancelled: {
    next: [],
    visible: false,
    complete: false,
    units: "none",
    required: [],
    absent: ["expiresAt"],
    end: { fact: "cancelled", movement: "cancelled" }
  },
  expired: {
    next: [],
    visible: false,
    complete: false,
    units: "none",
    required: ["petId", "quantity", "expiresAt"],
    absent: [],
    end: { fact: "expired", movement: "expired" }
  }
}

/** The states for which something holds, in the order of {@link orderStates}. */
export const orderStatesWhere = (holds: (rules: OrderStateRules) => boolean): ReadonlyArray<OrderState> =>
  (Object.keys(orderStates) as Array<OrderState>).filter((state) => holds(orderStates[state]))

/** The state of an order that ended without being shipped. Lists show it only if they are asked for such orders. */
export type EndedState = "cancelled" | "expired"

export const isEnded = (state: OrderState | undefined): state is EndedState =>
  state === "cancelled" || state === "expired"
