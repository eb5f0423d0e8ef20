import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RcRef from "effect/RcRef"
import type * as Scope from "effect/Scope"
import { Principal, visibleEvents } from "../access/Principal.ts"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import type { CursorExpired } from "../domain/errors/RequestErrors.ts"
import { ShuttingDown } from "../domain/errors/ServiceErrors.ts"
import { goOn, withPrincipal } from "../ports/Direct.ts"
import type { DeferredEvents, EventRows } from "../ports/EventRows.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { elapsedOn } from "../services/background/sleep.ts"
import { checkpoints, logSubject } from "../tables/index.ts"
import { AppearedEvents } from "./AppearedEvents.ts"
import type { EventType } from "./Event.ts"
import type { EventFilter } from "./EventFilter.ts"
import { EventFollower, requireKept } from "./EventFollower.ts"
import { eventsAtHand } from "./EventPage.ts"
import type { EventSource } from "./EventSource.ts"
import { EventTail, tailPage } from "./EventTail.ts"
import { listEvents } from "./listEvents.ts"
import { OwnedEvents } from "./OwnedEvents.ts"
import { ownersIn } from "./orderOwners.ts"

/** The event log and its readers, as {@link Stats} reports them. */
export interface EventStats {
  /** The `seq` of the first event that is kept; 1 more than {@link latest} if there is none. */
  readonly earliest: number
  /** The `seq` of the last event; 0 if there is none. */
  readonly latest: number
  /** Number of subscribers, streams, consumers and webhooks that follow the log in this process. */
  readonly subscribers: number
  /** How many events the slowest of them has not handled yet; 0 if there is none. */
  readonly lag: number
}

/** How the event log of this process can fail. */
export type EventError = CursorExpired | StorageError

/**
 * The event log, to be read page by page or followed as it grows. All followers of an engine share one reader of the end of
 * the log, so that a commit costs about the same with one and with a hundred of them. They fail with `ShuttingDown` once the
 * engine closes.
 */
export class Events extends Context.Service<
  Events,
  Omit<EventSource<EventError, InvalidCursor>, "follow"> & {
    readonly follow: <T extends EventType = EventType>(
      after?: number,
      filter?: EventFilter<T>
    ) => Effect.Effect<EventFollower<T>, EventError, Scope.Scope>
    readonly stats: Effect.Effect<EventStats, StorageError>
    readonly latest: Effect.Effect<number, StorageError>
    /** The same log as a transaction reads it. */
    readonly readBy: (
      rows: Pick<EventRows, "find" | "latest" | "scan">
    ) => Pick<EventRows, "latest"> & Pick<EventSource<EventError, InvalidCursor>, "list">
  }
>()("@petstore/core/events/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const storage = yield* Storage
      const { events, watch } = storage
      const findOwners = ownersIn(storage)
      const ownedIn = (rows: Pick<EventRows, "find" | "scan">) => new OwnedEvents(rows, findOwners)
      const owned = ownedIn(events)
      const followers = new Set<{ readonly handled: number; readonly close: () => void }>()
      let closed = false
      const scanDeferred: EventRows["scanDeferred"] & {} =
        events.scanDeferred ?? ((after, limit) => Effect.map(events.scan(after, limit), eventsAtHand))
      const clock = yield* Clock.Clock
      const keptBy =
        ({ scan }: Pick<EventRows, "scan">) =>
        (after: number, limit: number) =>
          goOn(scan(after, limit), (page) => Effect.fromResult(requireKept(after, page)))
      const readKept = keptBy(events)

      /** Reads a page of the end of the log; undefined if that fails. */
      const scanned = Effect.fnUntraced(function* (tail: EventTail, appeared: AppearedEvents) {
        appeared.clear()
        const exit = yield* Effect.exit(scanDeferred(tail.last, tailPage))
        if (Exit.isFailure(exit)) return void tail.fail(exit.cause)
        const { first, last } = exit.value
        if (last - first + 1 === tailPage) appeared.miss()
        return exit.value
      })

      /** Adds a page with the owners of its orders; without them if they cannot be read. */
      const withOwners = (tail: EventTail, page: DeferredEvents) => {
        const loaded = page.load()
        return Effect.map(Effect.option(findOwners(loaded)), (owners) =>
          tail.append(eventsAtHand(loaded), Option.getOrUndefined(owners))
        )
      }

      /** Reads the end of the log while there are followers. */
      const openTail = Effect.gen(function* () {
        // Open while there may be more to read.
        const more = Latch.makeUnsafe(false)
        const appeared = new AppearedEvents()
        yield* watch(
          (page) => {
            appeared.add(page)
            more.openUnsafe()
          },
          { events: true }
        )
        const tail = new EventTail(yield* events.latest, () => elapsedOn(clock))
        const read = Effect.gen(function* () {
          yield* more.await
          // Lets commits and the event loop go first, and several commits share a page.
          yield* Effect.yieldNow
          more.closeUnsafe()
          do {
            const passed = appeared.after(tail.last, tailPage)
            const page = passed === undefined ? yield* scanned(tail, appeared) : eventsAtHand(passed)
            if (page === undefined) return
            const append = tail.needsOwners ? yield* withOwners(tail, page) : tail.append(page)
            // It yields when it has delivered much.
            for (const _ of append) yield* Effect.yieldNow
          } while (appeared.hasSome)
          if (appeared.mustRead) more.openUnsafe()
        })
        yield* Effect.forkScoped(Effect.forever(read))
        return tail
      })
      const sharedTail = yield* RcRef.make({ acquire: openTail })
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          closed = true
          for (const follower of followers) follower.close()
        })
      )

      const follow = Effect.fnUntraced(function* <T extends EventType>(after?: number, filter: EventFilter<T> = {}) {
        if (closed) return yield* Effect.fail(new ShuttingDown({}))
        const tail = yield* RcRef.get(sharedTail)
        if (after !== undefined) yield* readKept(after, 1)
        const start = after ?? (yield* events.latest)
        const visible = visibleEvents(yield* Principal)
        return yield* Effect.acquireRelease(
          Effect.sync(() => {
            const follower = new EventFollower(tail, events.scan, start, { ...filter, ...visible }, findOwners, owned)
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

      const readBy = (
        rows: Pick<EventRows, "find" | "latest" | "scan">,
        ofOwners: OwnedEvents
      ): ReturnType<Events["Service"]["readBy"]> => ({
        latest: rows.latest,
        list: (query = {}) =>
          withPrincipal((principal) =>
            listEvents<EventError>(
              query,
              {
                latest: rows.latest,
                scan: query.after === undefined && query.cursor === undefined ? rows.scan : keptBy(rows)
              },
              visibleEvents(principal),
              findOwners,
              ofOwners
            )
          )
      })

      return {
        ...readBy(events, owned),
        readBy: (rows) => readBy(rows, ownedIn(rows)),
        stats: Effect.map(
          Effect.all([events.latest, storage.find(checkpoints, logSubject)], { concurrency: "unbounded" }),
          ([latest, trimmed]) => {
            let lag = 0
            for (const { handled } of followers) lag = Math.max(lag, latest - handled)
            return { earliest: (trimmed?.seq ?? 0) + 1, latest, subscribers: followers.size, lag }
          }
        ),
        follow
      }
    })
  )
}
