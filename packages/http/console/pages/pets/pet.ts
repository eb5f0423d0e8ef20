import type { Tone } from "../../ui/Badge.tsx"

export interface Item {
  readonly petId: number
  readonly quantity: number
  readonly status: string
  readonly reserved: number
  readonly available: number
}

export const petTones: Readonly<Record<string, Tone>> = { available: "ok", pending: "wait", sold: "idle" }

/** A change with its sign. */
export const signed = (value: number): string => (value > 0 ? `+${value}` : String(value))
