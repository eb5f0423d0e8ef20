import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Event } from "../domain/Event.ts"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import { CursorExpired } from "../domain/errors/RequestErrors.ts"
import { ShuttingDown } from "../domain/errors/ServiceErrors.ts"
import type { PageQuery } from "../domain/Filters.ts"
import { limits } from "../domain/limits.ts"
import type { Page } from "../domain/Page.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { paginate } from "./pagination.ts"

/** A reader of the event log that continues where it stopped. */
export interface Follower {
  /** The `seq` that it started after. */
  readonly start: number
  /**
   * The next events, in order and at least one: waits until there are some. After a failure, run it again to continue at
   * the same place as soon as more is committed. Fails with `CursorExpired` if the next event is no longer kept.
   */
  readonly next: Effect.Effect<ReadonlyArray<Event>, CursorExpired | StorageError>
}

/** Fails if events after a position are no longer kept: the log has no gaps, and its last event always stays. */
const requireKept = (after: number, page: ReadonlyArray<Event>) => {
  const [first] = page
  return first === undefined || first.seq <= after + 1
    ? Effect.succeed(page)
    : Effect.fail(new CursorExpired({ earliest: first.seq }))
}

/** The event log and its readers, as {@link Stats} reports them. */
export interface EventStats {
  /** The `seq` of the last event; 0 if there is none. */
  readonly latest: number
  /** How many subscribers and streams follow the log now, in this process. */
  readonly subscribers: number
  /** How many events the slowest of them has not handled yet; 0 if there is none. */
  readonly lag: number
}

/** The event log, to be read page by page or followed as it grows. */
export class Events extends Context.Service<
  Events,
  {
    /** The `seq` of the last event; 0 if there is none. */
    readonly latest: Effect.Effect<number, StorageError>
    readonly stats: Effect.Effect<EventStats, StorageError>
    /** Lists a page of the events that are kept. Fails with `CursorExpired` if the page after a cursor no longer is. */
    readonly list: (query?: PageQuery) => Effect.Effect<Page<Event>, InvalidCursor | CursorExpired | StorageError>
    /**
     * Follows the log after a `seq`, until the scope closes. Fails with `ShuttingDown` once the engine closes, and with
     * `CursorExpired` if the event after that `seq` is no longer kept.
     */
    readonly follow: (after: number) => Effect.Effect<Follower, CursorExpired | StorageError, Scope.Scope>
  }
>()("@petstore/core/services/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const { events, watch } = yield* Storage
      const followers = new Set<{ readonly more: Latch.Latch; handled: number }>()
      let closed = false
      const read = (after: number, limit: number) =>
        Effect.flatMap(events.scan(after, limit), (page) => requireKept(after, page))
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          closed = true
          for (const { more } of followers) more.openUnsafe()
        })
      )

      const follow = Effect.fnUntraced(function* (after: number) {
        // Open while there may be more to read.
        const follower = yield* Effect.acquireRelease(
          Effect.sync(() => {
            const added = { more: Latch.makeUnsafe(true), handled: after }
            followers.add(added)
            return added
          }),
          (added) => Effect.sync(() => followers.delete(added))
        )
        const { more } = follower
        yield* watch(() => more.openUnsafe())
        yield* read(after, 1)
        let position = after

        const next = Effect.gen(function* () {
          // Whoever asks for more has handled what came before.
          follower.handled = position
          while (true) {
            yield* more.await
            // Let commits and the event loop go first, even if there is much to catch up on.
            yield* Effect.yieldNow
            if (closed) return yield* Effect.fail(new ShuttingDown({}))
            more.closeUnsafe()
            const page = yield* read(position, limits.page)
            if (page.length === limits.page) more.openUnsafe()
            const last = page.at(-1)
            if (last === undefined) continue
            position = last.seq
            return page
          }
        })
        return { start: after, next }
      })

      return {
        latest: events.latest,
        stats: Effect.map(events.latest, (latest) => {
          let lag = 0
          for (const { handled } of followers) lag = Math.max(lag, latest - handled)
          return { latest, subscribers: followers.size, lag }
        }),
        list: (query = {}) =>
          paginate(
            query,
            { list: "events", start: 0, position: ({ seq }: Event) => seq },
            query.cursor === undefined ? events.scan : read,
            (event) => event
          ),
        follow
      }
    })
  )
}
