import type { Delivery } from "@petstore/core"
import type { Tone } from "../../ui/Badge.tsx"

export const deliveryTone = ({ attempts, status }: Delivery): Tone =>
  status === "delivered" ? "ok" : status === "failed" ? "bad" : attempts > 0 ? "wait" : "info"
export const deliveryState = ({ attempts, status }: Delivery): string =>
  status === "pending" && attempts > 0 ? "retrying" : status === "pending" ? "waiting" : status
