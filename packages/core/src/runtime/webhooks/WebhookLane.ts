import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { Event, EventType } from "../../domain/events/Event.ts"
import type { EventFilter } from "../../domain/events/EventFilter.ts"
import { plusMillis } from "../../domain/Timestamp.ts"
import type { WebhookRoute } from "../../domain/webhooks/Webhook.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { Commands } from "../../programs/Commands.ts"
import type { Journal } from "../../programs/events/Journal.ts"
import { elapsedOn, storeMillis } from "../../programs/time.ts"
import type { AttemptOutcome } from "../../programs/webhooks/attempt.ts"
import type { DeliveryWakes } from "../../programs/webhooks/DeliveryWakes.ts"
import { routeEvents } from "../../programs/webhooks/routeEvents.ts"
import type { WebhookSecrets } from "../../programs/webhooks/secrets/WebhookSecrets.ts"
import { webhooks } from "../../tables/index.ts"
import type { WebhookRecord } from "../../tables/webhookTables.ts"
import { startFiber } from "../background/calls.ts"
import { elapsedMillis, sleep } from "../background/sleep.ts"
import { Worker } from "../background/Worker.ts"
import type { Events } from "../events/Events.ts"
import type { DeliveryWork } from "./DeliveryWork.ts"
import { type ClaimedDelivery, deliveryLeaseMillis } from "./deliveryCommands.ts"
import { EndpointPace } from "./EndpointPace.ts"

/** Milliseconds after which to look for deliveries that another process has made due, if no commit is noticed before. */
const idleMillis = 15_000

/** Milliseconds between two looks whether to save a route that only skips events. */
const lookEveryMillis = 10_000

/** Milliseconds after which, and events after which, it is saved: retention keeps the events after it. */
const longestUnsavedMillis = 60_000
const mostUnsaved = 10_000

/** What lanes need of the petstore. */
interface LaneServices {
  readonly commands: Commands["Service"]
  readonly storage: Storage["Service"]
  readonly journal: Journal["Service"]
  readonly eventLog: Events["Service"]
  readonly secrets: WebhookSecrets["Service"]
  readonly work: DeliveryWork
  readonly wakes: DeliveryWakes["Service"]
  /** Logs what cannot be done, once for all lanes. */
  readonly report: (what: string, cause: Cause.Cause<unknown>) => Effect.Effect<void>
}

/**
 * Makes deliveries to one endpoint, and attempts of them, until the endpoint is deleted. Each endpoint has a lane of its own,
 * so that a slow one holds up no other.
 */
export const webhookLane = (services: LaneServices, id: number): Effect.Effect<void, StorageError> =>
  Effect.suspend(() =>
    Effect.flatMap(services.storage.find(webhooks, id), (record) =>
      record === undefined
        ? Effect.void
        : Effect.andThen(
            Effect.scoped(followed(services, record)).pipe(
              Effect.catchTag("CursorExpired", ({ details: { earliest } }) => skip(services, id, earliest - 1))
            ),
            webhookLane(services, id)
          )
    )
  )

/** Moves a route behind events that are no longer kept, and logs which these are. */
const skip = Effect.fnUntraced(function* ({ commands, secrets }: LaneServices, id: number, after: number) {
  const first = yield* commands.run("deliveries.create", function* ({ tx }) {
    const record = yield* tx.lock(webhooks, id)
    if (record === undefined || record.route.after >= after) return undefined
    const { enabled, types } = record.webhook
    const route = { after, enabled, ...(types === undefined ? {} : { types }) }
    tx.save(webhooks, secrets.seal({ ...record, route }))
    return record.route.after + 1
  })
  if (first !== undefined) {
    yield* Effect.logWarning(`Webhook ${id} misses the events ${first} to ${after}, which are no longer kept`)
  }
})

/** Works on deliveries and routes events until the lane has to start again. */
const followed = Effect.fnUntraced(function* (services: LaneServices, record: WebhookRecord) {
  const { eventLog, storage } = services
  const { id } = record.webhook
  const subject = `webhooks/${id}`
  const endpoint = new Endpoint(services, record)
  const { wake } = yield* endpoint.start
  const routing = new Routing(services, record, yield* elapsedMillis)
  // What fails is tried again at the next look, or with the next events.
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(sleep(lookEveryMillis), Effect.ignoreCause(routing.saveSkipped)))
  )

  /** Routes what the endpoint receives, until that may change. Returns whether the lane goes on. */
  const routeAlike = Effect.gen(function* () {
    const begun = routing.saved
    const following = yield* eventLog.follow(begun.after, filterOf(begun, subject))
    routing.follower = following
    for (;;) {
      const page: ReadonlyArray<Event> = yield* following.next
      // Behind an event about the endpoint itself, it may get other events.
      const own = page.find((event) => event.subject === subject)
      const through = own?.seq ?? following.position
      // Attempts go on meanwhile, so that nothing is sent twice.
      let rest = page.filter(({ seq }) => seq <= through)
      while (rest.length > 0) {
        const routed = yield* routing.route(rest, through)
        if (routed === undefined) return false
        rest = rest.filter(({ seq }) => seq > routed.after)
        wake()
        if (rest.length > 0 && !isAlike(routed, begun)) return true
      }
      if (own !== undefined) break
      if (!isAlike(routing.saved, begun)) return true
    }
    const now = yield* storage.find(webhooks, id)
    if (now === undefined) return false
    endpoint.change(now)
    wake()
    return true
  })

  while (yield* Effect.scoped(routeAlike)) {}
})

/** What a lane knows of its endpoint, and the worker that makes attempts. */
class Endpoint {
  private readonly services: LaneServices
  private readonly id: number
  private concurrency: number
  private pace = new EndpointPace()

  constructor(services: LaneServices, { webhook }: WebhookRecord) {
    this.services = services
    this.id = webhook.id
    this.concurrency = webhook.concurrency
  }

  /** Takes what the endpoint is now. What it could not do before, it may do now. */
  change({ webhook }: WebhookRecord): void {
    this.concurrency = webhook.concurrency
    this.pace = new EndpointPace()
  }

  readonly start = Effect.gen({ self: this }, function* () {
    const { id } = this
    const { journal, report, storage, wakes, work } = this.services
    const clock = yield* Clock.Clock
    const allowed = () => this.pace.allowed(this.concurrency)
    const worker = yield* Worker.start<ClaimedDelivery, AttemptOutcome, AttemptOutcome>({
      name: `deliveries to webhook ${id}`,
      report,
      lease: deliveryLeaseMillis,
      millis: storeMillis(storage),
      concurrency: allowed,
      idle: idleMillis,
      keyOf: ({ record }) => record.delivery.id,
      recordAndClaim: Effect.fnUntraced({ self: this }, function* (ended, limit) {
        const pause = this.pace.pauseAt(elapsedOn(clock))
        const claimed = yield* work.recordAndClaim(id, ended, pause > 0 ? 0 : limit, allowed())
        return pause > 0 ? { ...claimed, nextDue: plusMillis(yield* journal.clockTime, pause) } : claimed
      }),
      extend: (items) => work.extend(id, items),
      release: (items) => work.release(id, items),
      start: (item, fork) => startFiber(work.attempt(item), fork),
      outcomeOf: (exit) => {
        if (Exit.isFailure(exit)) return undefined
        this.pace.note(exit.value, this.concurrency, elapsedOn(clock))
        return exit.value
      }
    })
    yield* wakes.listen(id, worker.wake)
    return worker
  })
}

/** Up to where events have been routed to an endpoint: in the store, and by this process. */
class Routing {
  saved: WebhookRoute
  follower: { readonly handled: number }
  private savedAt: number
  private readonly id: number
  private readonly services: LaneServices
  private readonly lock = Semaphore.makeUnsafe(1)

  constructor(services: LaneServices, { route, webhook }: WebhookRecord, now: number) {
    this.services = services
    this.id = webhook.id
    this.saved = route
    this.savedAt = now
    this.follower = { handled: route.after }
  }

  /** Routes events from where the route is saved. Undefined if the endpoint is deleted, or its route has gone back. */
  route(page: ReadonlyArray<Event>, through: number) {
    const { commands, secrets } = this.services
    return Semaphore.withPermit(
      this.lock,
      Effect.gen({ self: this }, function* () {
        const part = { from: this.saved.after, through }
        // Another process may have routed some of them, which this one may have found while it waited.
        const rest = page.filter(({ seq }) => seq > part.from)
        if (rest.length === 0) return this.saved
        const routed = yield* commands.run("deliveries.create", (call) =>
          routeEvents(call, secrets, this.id, part, rest)
        )
        if (routed === undefined || routed.after < part.from) return undefined
        this.saved = routed
        this.savedAt = yield* elapsedMillis
        return routed
      })
    )
  }

  /** Saves a route behind many events that the endpoint does not receive. */
  readonly saveSkipped = Semaphore.withPermit(
    this.lock,
    Effect.gen({ self: this }, function* () {
      const { commands, secrets } = this.services
      const { id } = this
      const [from, after, now] = [this.saved.after, this.follower.handled, yield* elapsedMillis]
      const isDue = after > from && (now >= this.savedAt + longestUnsavedMillis || after >= from + mostUnsaved)
      if (!isDue) return
      const to = { ...this.saved, after }
      const stored = yield* commands.run("deliveries.create", function* ({ tx }) {
        const current = yield* tx.lock(webhooks, id)
        if (current?.route.after !== from) return current?.route
        tx.save(webhooks, secrets.seal({ ...current, route: to }))
        return to
      })
      this.savedAt = now
      // Another process may have moved the route. If it has gone back, routing starts the lane again.
      if (stored !== undefined && stored.after >= from) this.saved = stored
    })
  )
}

/** Selects the events that an endpoint receives, and those about itself. */
const filterOf = ({ enabled, types }: WebhookRoute, subject: string): EventFilter => ({
  ...(enabled && types === undefined ? {} : { types: new Set(enabled ? (types as ReadonlyArray<EventType>) : []) }),
  alsoSubject: subject
})

/** Whether an endpoint receives the same events by two routes. */
const isAlike = (a: WebhookRoute, b: WebhookRoute): boolean =>
  a.enabled === b.enabled && a.types?.join() === b.types?.join()
