import type { Tone } from "../../ui/Badge.tsx"

export interface Message {
  readonly id: string
  readonly message: string
  readonly status: string
  readonly createdAt: string
  readonly attempts?: number
  readonly nextAttemptAt?: string
  readonly deliveredAt?: string
  readonly failedAt?: string
  readonly lastError?: string
}

export interface Requeued {
  readonly requeued: number
  readonly next?: string
}

const tones: Readonly<Record<string, Tone>> = { queued: "info", delivered: "ok", failed: "bad" }

export const messageTone = ({ attempts = 0, status }: Message): Tone =>
  status === "queued" && attempts > 0 ? "wait" : (tones[status] ?? "idle")

export const messageState = ({ attempts = 0, status }: Message): string =>
  status === "queued" ? (attempts > 0 ? "retrying" : "waiting") : status
