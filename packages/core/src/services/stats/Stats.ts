import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { limits } from "../../domain/limits.ts"
import { parseTimestamp } from "../../domain/Timestamp.ts"
import { Storage } from "../../ports/Storage.ts"
import { groupSizeLimits } from "../../ports/StorageActivity.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { Events } from "../Events.ts"
import { reportMetrics } from "./metrics.ts"
import type { PetstoreStats } from "./PetstoreStats.ts"

/** Numbers about the work of the engine, for operators. */
export class Stats extends Context.Service<
  Stats,
  {
    /** The numbers now. Reads a few rows; the other numbers are counted anyway. */
    readonly read: Effect.Effect<PetstoreStats, StorageError>
  }
>()("@petstore/core/services/Stats") {
  /** `storage`: the kind of store. */
  static readonly layer = (storage: string) =>
    Layer.effect(
      Stats,
      Effect.gen(function* () {
        const { activity, consumers, messages } = yield* Storage
        const events = yield* Events
        const clock = yield* Clock.Clock
        const opened = clock.currentTimeMillisUnsafe()

        /** What is counted in memory. */
        const counted = () => ({
          storage,
          uptime: Math.max(0, (clock.currentTimeMillisUnsafe() - opened) / 1_000),
          transactions: {
            committed: activity.committed,
            rejected: activity.rejected,
            retried: activity.retried,
            failed: activity.failed,
            waiting: activity.waiting
          },
          commits: {
            count: activity.commits,
            transactions: activity.grouped,
            largest: activity.largestGroup,
            groupSizes: groupSizeLimits.map((upTo, at) => ({ upTo, count: activity.groupSizes[at] ?? 0 }))
          }
        })

        /** What is read from the store. A queue with a table adds its numbers here, and to {@link PetstoreStats}. */
        const stored = Effect.gen(function* () {
          const found = yield* consumers.list("", limits.page)
          const [oldest] = yield* messages.list({ status: "queued", after: "", limit: 1 })
          // Read last, so that no consumer is ahead of it.
          const log = yield* events.stats
          const age =
            clock.currentTimeMillisUnsafe() - (parseTimestamp(oldest?.createdAt ?? "") ?? Number.POSITIVE_INFINITY)
          return {
            events: log,
            consumers: found.map(({ name, position }) => ({ name, position, lag: log.latest - position })),
            messages: { oldestQueued: Math.max(0, age / 1_000) }
          }
        })

        let latest: Effect.Success<typeof stored> = {
          events: { latest: 0, subscribers: 0, lag: 0 },
          consumers: [],
          messages: { oldestQueued: 0 }
        }
        const read = Effect.map(stored, (found) => {
          latest = found
          return { ...counted(), ...found }
        })
        yield* reportMetrics(storage, { read, recent: () => ({ ...counted(), ...latest }) })
        return { read }
      })
    )
}
