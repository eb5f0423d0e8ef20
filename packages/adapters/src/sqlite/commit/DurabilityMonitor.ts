import { StorageFull } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import { machineClock } from "../connection/busyRetry.ts"

/** Milliseconds for which a durable write shows that the next one can be durable. */
const freshMillis = 1000

/** Is notified once when writes begin to fail, and once when they succeed again. */
interface DurabilityListener {
  readonly failing: (reason: StorageError) => void
  readonly recovered: () => void
}

/** Records whether writes become durable, as the latest commits show. */
export class DurabilityMonitor {
  private readonly listener: DurabilityListener
  private durableAt = Number.NEGATIVE_INFINITY
  private failedAt: number | undefined
  private full: StorageFull | undefined

  constructor(listener: DurabilityListener) {
    this.listener = listener
  }

  /** Whether a write became durable within the last second, and none has failed since. */
  get isFresh(): boolean {
    return machineClock.now() - this.durableAt < freshMillis
  }

  /** The failure of a write that had no room. A smaller write that succeeds does not clear it: large ones would still fail. */
  get fullDisk(): StorageFull | undefined {
    return this.full
  }

  /** Records that there is room again. */
  hasRoom(): void {
    this.full = undefined
  }

  /** Records that changes became durable. */
  durable(): void {
    this.durableAt = machineClock.now()
    // If small writes succeed and large ones fail, they alternate: the log must not fill with it.
    if (this.failedAt === undefined || this.durableAt - this.failedAt < freshMillis) return
    this.failedAt = undefined
    this.listener.recovered()
  }

  /** Records that changes could not be made durable. A lock, or a store that is closing, reveals nothing about the disk. */
  failed(reason: StorageError): void {
    if (reason._tag === "StorageBusy" || reason._tag === "ShuttingDown") return
    if (reason instanceof StorageFull) this.full = reason
    this.durableAt = Number.NEGATIVE_INFINITY
    const wasFailing = this.failedAt !== undefined
    this.failedAt = machineClock.now()
    if (!wasFailing) this.listener.failing(reason)
  }
}
