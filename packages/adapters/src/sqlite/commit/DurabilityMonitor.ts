import type { StorageError } from "@petstore/core/ports"
import { now } from "../connection/busyRetry.ts"

/** Milliseconds for which a write that was made durable shows that the next one can be. */
const fresh = 1000

/** Those who are told, once, that writing has begun to fail, and that it works again. */
export interface DurabilityListener {
  readonly failing: (reason: StorageError) => void
  readonly recovered: () => void
}

/** Whether what is written becomes durable, as far as the latest commits show. */
export class DurabilityMonitor {
  private readonly listener: DurabilityListener
  private durableAt = Number.NEGATIVE_INFINITY
  private failedAt: number | undefined

  constructor(listener: DurabilityListener) {
    this.listener = listener
  }

  /** Whether a write was made durable within the last second, and none has failed since. */
  get isFresh(): boolean {
    return now() - this.durableAt < fresh
  }

  /** Changes were made durable. */
  durable(): void {
    this.durableAt = now()
    // Where small writes work and large ones do not, this comes in between; the log is not to fill with it.
    if (this.failedAt === undefined || this.durableAt - this.failedAt < fresh) return
    this.failedAt = undefined
    this.listener.recovered()
  }

  /** Changes could not be made durable. That others write or that the store closes says nothing of the disk. */
  failed(reason: StorageError): void {
    if (reason._tag === "StorageBusy" || reason._tag === "ShuttingDown") return
    this.durableAt = Number.NEGATIVE_INFINITY
    const wasFailing = this.failedAt !== undefined
    this.failedAt = now()
    if (!wasFailing) this.listener.failing(reason)
  }
}
