import type { MessageWithDelivery } from "@petstore/core"
import type { Tone } from "../../ui/Badge.tsx"

const tones: Readonly<Record<string, Tone>> = { queued: "info", delivered: "ok", failed: "bad" }

export const messageTone = ({ attempts = 0, status }: MessageWithDelivery): Tone =>
  status === "queued" && attempts > 0 ? "wait" : (tones[status] ?? "idle")

export const messageState = ({ attempts = 0, status }: MessageWithDelivery): string =>
  status === "queued" ? (attempts > 0 ? "retrying" : "waiting") : status
