import type { Tone } from "../../ui/Badge.tsx"

export interface Delivery {
  readonly id: number
  readonly webhookId: number
  readonly seq: number
  readonly eventId: string
  readonly type: string
  readonly subject: string
  readonly status: string
  readonly attempts: number
  readonly createdAt: string
  readonly nextAttemptAt?: string
  readonly lastAttemptAt?: string
  readonly failure?: string
  readonly responseStatus?: number
  readonly message?: string
  readonly finishedAt?: string
}

/** A delivery with its latest attempts, the oldest first. */
export interface DeliveryWithAttempts extends Delivery {
  readonly latestAttempts: ReadonlyArray<{
    readonly at: string
    readonly durationMs: number
    readonly delivered: boolean
    readonly responseStatus?: number
    readonly failure?: string
    readonly message?: string
  }>
}

export interface Requeued {
  readonly requeued: number
  readonly next?: number
}

export const deliveryTone = ({ attempts, status }: Delivery): Tone =>
  status === "delivered" ? "ok" : status === "failed" ? "bad" : attempts > 0 ? "wait" : "info"
export const deliveryState = ({ attempts, status }: Delivery): string =>
  status === "pending" && attempts > 0 ? "retrying" : status === "pending" ? "waiting" : status
