import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as RcRef from "effect/RcRef"
import type * as Scope from "effect/Scope"
import type { Event, EventType } from "../domain/Event.ts"
import type { EventFilter } from "../domain/EventFilter.ts"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import type { CursorExpired } from "../domain/errors/RequestErrors.ts"
import { ShuttingDown } from "../domain/errors/ServiceErrors.ts"
import type { PageQuery } from "../domain/Filters.ts"
import { limits } from "../domain/limits.ts"
import type { Page } from "../domain/Page.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { EventFollower, type Follower, requireKept } from "./EventFollower.ts"
import { EventTail } from "./EventTail.ts"
import { paginate } from "./pagination.ts"

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
     * Follows the log after a `seq`, or from now on, until the scope closes. All followers of an engine share one reader of
     * the end of the log, so that a commit costs about the same with one and with a hundred of them. Fails with
     * `ShuttingDown` once the engine closes, and with `CursorExpired` if the event after that `seq` is no longer kept.
     */
    readonly follow: <T extends EventType = EventType>(
      after?: number,
      filter?: EventFilter<T>
    ) => Effect.Effect<Follower<T>, CursorExpired | StorageError, Scope.Scope>
  }
>()("@petstore/core/services/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const { events, watch } = yield* Storage
      const followers = new Set<{ readonly handled: number; readonly close: () => void }>()
      let closed = false
      const readKept = (after: number, limit: number) =>
        Effect.flatMap(events.scan(after, limit), (page) => requireKept(after, page))

      /** Reads the end of the log while there are followers. */
      const openTail = Effect.gen(function* () {
        // Open while there may be more to read.
        const more = Latch.makeUnsafe(true)
        yield* watch(() => more.openUnsafe())
        const tail = new EventTail(yield* events.latest)
        const read = Effect.gen(function* () {
          yield* more.await
          // Lets commits and the event loop go first, and several commits share a page.
          yield* Effect.yieldNow
          more.closeUnsafe()
          const exit = yield* Effect.exit(events.scan(tail.last, limits.page))
          if (Exit.isFailure(exit)) return tail.fail(exit.cause)
          const page = exit.value
          if (page.length === limits.page) more.openUnsafe()
          for (const _ of tail.append(page)) yield* Effect.yieldNow
        })
        yield* Effect.forkScoped(Effect.forever(read))
        return tail
      })
      const sharedTail = yield* RcRef.make({ acquire: openTail })
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          closed = true
          for (const { close } of followers) close()
        })
      )

      const follow = Effect.fnUntraced(function* <T extends EventType>(after?: number, filter: EventFilter<T> = {}) {
        if (closed) return yield* Effect.fail(new ShuttingDown({}))
        const tail = yield* RcRef.get(sharedTail)
        if (after !== undefined) yield* readKept(after, 1)
        const start = after ?? (yield* events.latest)
        return yield* Effect.acquireRelease(
          Effect.sync(() => {
            const follower = new EventFollower(tail, events.scan, start, filter)
            followers.add(follower)
            if (closed) follower.close()
            return follower
          }),
          (follower) =>
            Effect.sync(() => {
              followers.delete(follower)
              follower.close()
            })
        )
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
            query.cursor === undefined ? events.scan : readKept,
            (event) => event
          ),
        follow
      }
    })
  )
}
