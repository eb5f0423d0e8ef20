import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { DeferredEvents, EventRows } from "../../ports/EventRows.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { eventsAtHand } from "../../programs/events/EventPage.ts"
import { EventTail, tailPage } from "../../programs/events/EventTail.ts"
import type { ownersIn } from "../../programs/events/OwnedEvents.ts"
import { elapsedOn } from "../../programs/time.ts"
import { AppearedEvents } from "./AppearedEvents.ts"

/** Reads the end of the log of a store, which all followers of a petstore share, until the scope closes. */
export const openTail = (
  { events, watch }: Storage["Service"],
  findOwners: ReturnType<typeof ownersIn>,
  clock: Clock.Clock
): Effect.Effect<EventTail, StorageError, Scope.Scope> => {
  const scanDeferred: EventRows["scanDeferred"] & {} =
    events.scanDeferred ?? ((after, limit) => Effect.map(events.scan(after, limit), eventsAtHand))

  /** Reads a page; undefined if that fails. */
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

  return Effect.gen(function* () {
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
}
