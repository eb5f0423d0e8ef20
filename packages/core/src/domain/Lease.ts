import { plusMillis } from "./Timestamp.ts"

/**
 * The right of one worker to work on a row until a time. Times are those of the clock of the store. A wrong clock can make
 * two workers do the same work, but only the one with the latest fence can record that it is done.
 */
export interface Lease {
  /** A whole number that rises with each claim: 0 before the first. It identifies the claim, and stays when the lease ends. */
  readonly fence: number
  /** When the lease expires unless it is extended. Absent if nobody holds it. */
  readonly until?: string
}

/** The lease of a row that nobody has claimed yet. */
export const unclaimed: Lease = { fence: 0 }

/** Milliseconds. A lease that ends later than this from now was written by a clock that has been set back, and has no effect. */
export const longestLeaseMillis = 600_000

/** Whether a process holds the lease, so that others must not claim it. */
export const isHeld = ({ until }: Lease, now: string): boolean =>
  until !== undefined && until > now && until <= plusMillis(now, longestLeaseMillis)

/** The lease after a claim that lasts for this number of milliseconds. */
export const claimed = ({ fence }: Lease, now: string, millis: number): Lease => ({
  fence: fence + 1,
  until: plusMillis(now, millis)
})

/** The lease after its holder has extended it. A lease that has expired can be extended until another worker claims it. */
export const extended = ({ fence }: Lease, now: string, millis: number): Lease => ({
  fence,
  until: plusMillis(now, millis)
})

/** The lease after its holder has given it back. */
export const released = ({ fence }: Lease): Lease => ({ fence })

/** Whether a claim with this fence is still the latest one. If not, what its worker does must not be recorded. */
export const isCurrent = ({ fence, until }: Lease, claim: number): boolean => fence === claim && until !== undefined
