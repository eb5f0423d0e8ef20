import type { Tone } from "../../ui/Badge.tsx"

export interface Order {
  readonly id: number
  readonly petId?: number
  readonly quantity: number
  readonly shipDate?: string
  readonly complete?: boolean
}

/** The API keeps no cancelled orders: only their events say that there was one. */
export type OrderState = "draft" | "open" | "complete" | "cancelled"

export const stateOf = ({ complete, petId }: Order): OrderState =>
  complete === true ? "complete" : petId === undefined ? "draft" : "open"

export const orderTones: Readonly<Record<OrderState, Tone>> = {
  draft: "idle",
  open: "info",
  complete: "ok",
  cancelled: "bad"
}
