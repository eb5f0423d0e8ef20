import type { IncludedOrderRecord, OrderState, Order as StoredOrder } from "@petstore/core"
import type { Tone } from "../../ui/Badge.tsx"

/** The server always returns the quantity. Lists of ended orders have the record. */
export type Order = StoredOrder & { readonly quantity: number; readonly record?: IncludedOrderRecord }

export const hasEnded = (state: string): boolean => state === "cancelled" || state === "expired"

export const stateOf = ({ complete, petId, record }: Order): OrderState =>
  record?.state ?? (complete === true ? "complete" : petId === undefined ? "draft" : "open")

export const orderTones: Readonly<Record<OrderState, Tone>> = {
  draft: "idle",
  open: "info",
  complete: "ok",
  cancelled: "bad",
  expired: "wait"
}
