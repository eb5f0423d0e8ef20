import { TooManyStreams } from "@petstore/core/domain"
import type { Caller } from "../authentication/authentication.ts"

/** How many streams may be open. */
interface StreamLimits {
  readonly ofServer: number
  readonly ofCaller: number
}

/** How many streams the callers of one account may have open for each that is still free. */
const heldPerFree = 3

/** The account of a caller, or the user whose orders are their own. */
const ownerOf = ({ accountId, user }: Caller): number | string => user ?? accountId

class Counts<Key> {
  private readonly counts = new Map<Key, number>()

  of(key: Key): number {
    return this.counts.get(key) ?? 0
  }

  change(key: Key, change: 1 | -1): void {
    const count = this.of(key) + change
    if (count === 0) this.counts.delete(key)
    else this.counts.set(key, count)
  }
}

/**
 * Counts the streams that are open or about to be. The less is free, the fewer streams one account may have: an account without any finds
 * one, as one account takes at most three quarters, two take six sevenths.
 */
export class StreamShares {
  private readonly limits: StreamLimits
  private readonly byCaller = new Counts<Caller["id"]>()
  private readonly byOwner = new Counts<number | string>()
  private held = 0

  constructor(limits: StreamLimits) {
    this.limits = limits
  }

  /** Returns why a caller may not open a further stream. */
  refuse(caller: Caller): TooManyStreams | undefined {
    const { ofCaller, ofServer } = this.limits
    if (this.byCaller.of(caller.id) >= ofCaller) return new TooManyStreams({ limit: ofCaller, of: "key" })
    if (this.held >= ofServer) return new TooManyStreams({ limit: ofServer, of: "server" })
    const limit = this.byOwner.of(ownerOf(caller))
    return limit >= heldPerFree * (ofServer - this.held) ? new TooManyStreams({ limit, of: "share" }) : undefined
  }

  /** Counts one stream of a caller more or less. */
  hold(caller: Caller, change: 1 | -1): void {
    this.byCaller.change(caller.id, change)
    this.byOwner.change(ownerOf(caller), change)
    this.held += change
  }
}
