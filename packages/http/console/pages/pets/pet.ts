import type { InventoryItem } from "@petstore/core"
import type { Tone } from "../../ui/Badge.tsx"

/** The stock of a pet: the server returns all of it. */
export type Item = Required<InventoryItem>

export const petTones: Readonly<Record<string, Tone>> = { available: "ok", pending: "wait", sold: "idle" }

/** A change with its sign. */
export const signed = (value: number): string => (value > 0 ? `+${value}` : String(value))
