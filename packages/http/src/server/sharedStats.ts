import { formatTimestamp, type PetstoreError } from "@petstore/core/domain"
import { Stats } from "@petstore/core/runtime"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { ServerStats, StatsPoint } from "../api/Server.ts"

/** How long a reading serves all callers, in milliseconds. */
const maxAgeMillis = 1_000

/** For how long points are kept, and how far apart they are at least, in milliseconds. */
const historyAgeMillis = 15 * 60_000
const pointDistanceMillis = 5_000

const pointOf = ({ at, commits, events, messages, transactions, webhooks }: ServerStats): StatsPoint => {
  const sum = (name: "pending" | "failed"): number =>
    webhooks.endpoints.reduce((total, endpoint) => total + endpoint[name], 0)
  return {
    at,
    committed: transactions.committed,
    rejected: transactions.rejected,
    failed: transactions.failed,
    commits: commits.count,
    latestEvent: events.latest,
    lag: events.lag,
    queuedMessages: messages.queued,
    failedMessages: messages.failed,
    pendingDeliveries: sum("pending"),
    failedDeliveries: sum("failed")
  }
}

interface SharedStats {
  readonly read: () => Effect.Effect<ServerStats, PetstoreError>
  /** Points of the readings so far, and of one now. */
  readonly history: () => Effect.Effect<ReadonlyArray<StatsPoint>, PetstoreError>
}

/**
 * Reads the numbers of a petstore at most once a second, for all callers: it takes statements. The reading is nobody's own, so that it ends
 * although the caller who began it has gone.
 */
export const sharedStats = (runtime: Context.Context<Stats>): SharedStats => {
  const { read } = Context.get(runtime, Stats)
  const clock = Context.get(runtime, Clock.Clock)
  let begun = Number.NEGATIVE_INFINITY
  let reading: Fiber.Fiber<ServerStats, PetstoreError> | undefined

  const points: Array<{ readonly at: number; readonly point: StatsPoint }> = []

  const keep = (at: number, stats: ServerStats): void => {
    // The clock was set back.
    while ((points.at(-1)?.at ?? at) > at) points.pop()
    const last = points.at(-1)
    if (last !== undefined && at - last.at < pointDistanceMillis) return
    points.push({ at, point: pointOf(stats) })
    if (points.length > historyAgeMillis / pointDistanceMillis) points.shift()
  }

  const begin = (now: number): Fiber.Fiber<ServerStats, PetstoreError> => {
    begun = now
    const numbers = Effect.map(read, (stats) => {
      const dated = { at: formatTimestamp(now), ...stats }
      keep(now, dated)
      return dated
    })
    // What failed is read again for the next caller.
    const failed = Effect.sync(() => {
      begun = Number.NEGATIVE_INFINITY
    })
    return Effect.runForkWith(runtime)(Effect.tapCause(numbers, () => failed))
  }

  const now = (): number => clock.currentTimeMillisUnsafe()
  const ask = Effect.suspend(() => {
    const time = now()
    if (reading === undefined || Math.abs(time - begun) >= maxAgeMillis) reading = begin(time)
    return Fiber.join(reading)
  })
  return {
    read: () => ask,
    history: () =>
      Effect.map(ask, (latest) => {
        const shown = points.filter(({ at }) => Math.abs(now() - at) <= historyAgeMillis).map(({ point }) => point)
        return shown.at(-1)?.at === latest.at ? shown : [...shown, pointOf(latest)]
      })
  }
}
