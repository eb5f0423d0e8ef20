import { signal } from "@preact/signals"
import { type Family, families, familyOf, type StoredEvent } from "./event.ts"

const windowSeconds = 184
/** How many events of each family came in each of the last seconds; the last one is now. */
export const counts: Record<Family, Array<number>> = Object.fromEntries(
  families.map((family) => [family, new Array(windowSeconds).fill(0)])
) as Record<Family, Array<number>>
/** The second from which on all events were counted: the log before was not read. */
export const knownSince = signal(Number.POSITIVE_INFINITY)
let countedSecond = Math.floor(Date.now() / 1000)

const turn = (): void => {
  const now = Math.floor(Date.now() / 1000)
  const steps = Math.min(windowSeconds, now - countedSecond)
  for (let i = 0; i < steps; i++) {
    for (const family of families) {
      counts[family].shift()
      counts[family].push(0)
    }
  }
  countedSecond = now
}
setInterval(turn, 1000)

export const countEvents = (events: ReadonlyArray<StoredEvent>): void => {
  turn()
  for (const { timestamp, type } of events) {
    const at = windowSeconds - 1 - Math.max(0, countedSecond - Math.floor(Date.parse(timestamp) / 1000))
    const row = counts[familyOf(type)]
    if (at >= 0) row[at] = (row[at] ?? 0) + 1
  }
}

/** Forgets what was counted: all events since the oldest of these will be. */
export const countFrom = (oldest: StoredEvent | undefined): void => {
  for (const family of families) counts[family].fill(0)
  knownSince.value = oldest === undefined || oldest.seq === 1 ? 0 : Math.ceil(Date.parse(oldest.timestamp) / 1000)
}
