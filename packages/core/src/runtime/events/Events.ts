import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcRef from "effect/RcRef"
import type * as Scope from "effect/Scope"
import { Principal, visibleEvents } from "../../domain/access/Principal.ts"
import type { InvalidCursor } from "../../domain/errors/InputErrors.ts"
import type { CursorExpired } from "../../domain/errors/RequestErrors.ts"
import { ShuttingDown } from "../../domain/errors/ServiceErrors.ts"
import type { EventListQuery, EventType } from "../../domain/events/Event.ts"
import type { EventFilter } from "../../domain/events/EventFilter.ts"
import type { NotIndexed } from "../../domain/records/RecordErrors.ts"
import { goOn, withPrincipal } from "../../ports/Direct.ts"
import type { EventRows } from "../../ports/EventRows.ts"
import { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { Commands } from "../../programs/Commands.ts"
import { EventFollower, requireKept } from "../../programs/events/EventFollower.ts"
import type { EventSource } from "../../programs/events/EventSource.ts"
import { type EventReads, listEvents } from "../../programs/events/listEvents.ts"
import { OwnedEvents, ownersIn } from "../../programs/events/OwnedEvents.ts"
import { checkpoints, logSubject } from "../../tables/index.ts"
import { openTail } from "./openTail.ts"

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

/** How a list of events can fail beside that. */
export type EventListError = InvalidCursor | NotIndexed

const keptBy =
  ({ scan }: Pick<EventRows, "scan">) =>
  (after: number, limit: number) =>
    goOn(scan(after, limit), (page) => Effect.fromResult(requireKept(after, page)))

/** How a list reads the log. A position that the caller gave must be kept. */
const readsOf = (
  rows: Omit<EventRows, "scanDeferred" | "scanOutlines">,
  { after, cursor }: EventListQuery,
  isIndexed: boolean
): EventReads<EventError> => ({
  latest: rows.latest,
  search: rows.scan,
  isIndexed,
  ofSubject: isIndexed ? rows.ofSubject : undefined,
  scan: after === undefined && cursor === undefined ? rows.scan : keptBy(rows)
})

/**
 * The event log, to be read page by page or followed as it grows. All followers of a petstore share one reader of the end of
 * the log, so that a commit costs about the same with one and with a hundred of them. They fail with `ShuttingDown` once the
 * petstore closes.
 */
export class Events extends Context.Service<
  Events,
  Omit<EventSource<EventError, EventListError>, "follow"> & {
    readonly follow: <T extends EventType = EventType>(
      after?: number,
      filter?: EventFilter<T>
    ) => Effect.Effect<EventFollower<T>, EventError, Scope.Scope>
    readonly stats: Effect.Effect<EventStats, StorageError>
    readonly latest: Effect.Effect<number, StorageError>
    /** The same log as a transaction reads it. */
    readonly readBy: (
      rows: Omit<EventRows, "scanDeferred" | "scanOutlines">
    ) => Pick<EventRows, "latest"> & Pick<EventSource<EventError, EventListError>, "list">
  }
>()("@petstore/core/events/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const storage = yield* Storage
      const { events } = storage
      const isIndexed = (yield* Commands).shared.indexes.has("events.subject")
      const findOwners = ownersIn(storage)
      const ownedIn = (rows: Pick<EventRows, "find" | "scan">) => new OwnedEvents(rows, findOwners)
      const owned = ownedIn(events)
      const followers = new Set<{ readonly handled: number; readonly close: () => void }>()
      let closed = false
      const readKept = keptBy(events)

      const sharedTail = yield* RcRef.make({ acquire: openTail(storage, findOwners, yield* Clock.Clock) })
      const close = (): void => {
        closed = true
        for (const follower of followers) follower.close()
      }
      yield* Effect.addFinalizer(() => Effect.sync(close))

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
        rows: Omit<EventRows, "scanDeferred" | "scanOutlines">,
        ofOwners: OwnedEvents
      ): ReturnType<Events["Service"]["readBy"]> => ({
        latest: rows.latest,
        list: (query = {}) =>
          withPrincipal((principal) =>
            listEvents<EventError>(
              query,
              readsOf(rows, query, isIndexed),
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
          ([latest, trimmed]) => ({
            earliest: (trimmed?.seq ?? 0) + 1,
            latest,
            subscribers: followers.size,
            lag: [...followers].reduce((lag, { handled }) => Math.max(lag, latest - handled), 0)
          })
        ),
        follow
      }
    })
  )
}
