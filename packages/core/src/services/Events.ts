import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Event } from "../domain/Event.ts"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
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
   * the same place as soon as more is committed.
   */
  readonly next: Effect.Effect<ReadonlyArray<Event>, StorageError>
}

/** The event log, to be read page by page or followed as it grows. */
export class Events extends Context.Service<
  Events,
  {
    /** The `seq` of the last event; 0 if there is none. */
    readonly latest: Effect.Effect<number, StorageError>
    readonly list: (query?: PageQuery) => Effect.Effect<Page<Event>, InvalidCursor | StorageError>
    /** Follows the log after a `seq`, until the scope closes. Fails with `ShuttingDown` once the engine closes. */
    readonly follow: (after: number) => Effect.Effect<Follower, StorageError, Scope.Scope>
  }
>()("@petstore/core/services/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const { events, watch } = yield* Storage
      const followers = new Set<Latch.Latch>()
      let closed = false
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          closed = true
          for (const more of followers) more.openUnsafe()
        })
      )

      const follow = Effect.fnUntraced(function* (after: number) {
        // Open while there may be more to read.
        const more = yield* Effect.acquireRelease(
          Effect.sync(() => {
            const latch = Latch.makeUnsafe(true)
            followers.add(latch)
            return latch
          }),
          (latch) => Effect.sync(() => followers.delete(latch))
        )
        yield* watch(() => more.openUnsafe())
        let position = after

        const next = Effect.gen(function* () {
          while (true) {
            yield* more.await
            // Let commits and the event loop go first, even if there is much to catch up on.
            yield* Effect.yieldNow
            if (closed) return yield* Effect.fail(new ShuttingDown({}))
            more.closeUnsafe()
            const page = yield* events.scan(position, limits.page)
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
        list: (query = {}) =>
          paginate(
            query,
            { list: "events", start: 0, position: ({ seq }: Event) => seq },
            events.scan,
            (event) => event
          ),
        follow
      }
    })
  )
}
