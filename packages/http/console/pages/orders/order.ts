import type { Tone } from "../../ui/Badge.tsx"

export interface Order {
  readonly id: number
  readonly petId?: number
  readonly quantity: number
  readonly shipDate?: string
  readonly complete?: boolean
  /** Lists of ended orders have it. */
  readonly record?: {
    readonly state: OrderState
    readonly ended?: { readonly at: string; readonly actor?: string; readonly reason?: string }
  }
}

export type OrderState = "draft" | "open" | "complete" | "cancelled" | "expired"

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
