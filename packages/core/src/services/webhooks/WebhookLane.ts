import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Event } from "../../domain/Event.ts"
import { getsEvent, routeAfter, type WebhookRoute } from "../../domain/Webhook.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { WebhookRecord } from "../../ports/WebhookRows.ts"
import { sleep } from "../background/sleep.ts"
import { startWorker } from "../background/Worker.ts"
import type { Events } from "../Events.ts"
import type { Journal } from "../Journal.ts"
import type { DeliveryWakes } from "./DeliveryWakes.ts"
import { type DeliveryWork, deliveryLease } from "./DeliveryWork.ts"
import { routeEvents } from "./routeEvents.ts"

/** Milliseconds after which to look for deliveries that another process has made due. */
const idle = 15_000

/** The route of an endpoint is saved after this many events that it does not get. */
const longestSkip = 500

/** Milliseconds after which it is saved behind fewer such events: retention keeps the events after it. */
const longestUnsaved = 60_000

/** What lanes need of the engine. */
export interface LaneServices {
  readonly storage: Storage["Service"]
  readonly journal: Journal["Service"]
  readonly eventLog: Events["Service"]
  readonly work: DeliveryWork
  readonly wakes: DeliveryWakes["Service"]
}

/**
 * Makes deliveries to one endpoint, and attempts of them, until the endpoint is deleted. Each endpoint has a lane of its own,
 * so that a slow one holds up no other. Starts again if its concurrency changes.
 */
export const webhookLane = (services: LaneServices, id: number): Effect.Effect<void, StorageError> =>
  Effect.suspend(() =>
    Effect.flatMap(services.storage.webhooks.find(id), (record) =>
      record === undefined
        ? Effect.void
        : Effect.andThen(
            Effect.catchTag(Effect.scoped(followed(services, record)), "CursorExpired", ({ details: { earliest } }) =>
              skip(services, id, earliest - 1)
            ),
            webhookLane(services, id)
          )
    )
  )

/** Moves a route behind events that are no longer kept. */
const skip = ({ storage: { transact, webhooks } }: LaneServices, id: number, after: number) =>
  transact(
    Effect.flatMap(webhooks.lock(id), (record) => {
      if (record === undefined || record.route.after >= after) return Effect.void
      const { enabled, types } = record.webhook
      return webhooks.save({ ...record, route: { after, enabled, ...(types === undefined ? {} : { types }) } })
    }),
    "deliveries.create"
  )

/** Routes events and works on deliveries until the lane has to start again. */
const followed = Effect.fnUntraced(function* (
  { eventLog, journal, storage, wakes, work }: LaneServices,
  record: WebhookRecord
) {
  const { id } = record.webhook
  const follower = yield* eventLog.follow(record.route.after)
  const worker = yield* startWorker({
    name: `deliveries to webhook ${id}`,
    lease: deliveryLease,
    concurrency: record.webhook.concurrency,
    idle,
    claim: (limit) => work.claim(id, limit),
    extend: (items) => work.extend(id, items),
    release: (items) => work.release(id, items),
    run: (item) => work.run(item)
  })
  yield* wakes.listen(id, worker.wake)
  let saved = record.route
  let route = record.route
  const one = yield* Semaphore.make(1)

  const saveSkipped = Effect.suspend(() => {
    if (route.after === saved.after) return Effect.void
    const [from, to] = [saved.after, route]
    const saving = Effect.flatMap(storage.webhooks.lock(id), (now) =>
      now?.route.after === from ? storage.webhooks.save({ ...now, route: to }) : Effect.void
    )
    return Effect.andThen(
      storage.transact(saving, "deliveries.create"),
      Effect.sync(() => {
        saved = to
      })
    )
  })
  // What fails is tried again with the next events, or in a minute.
  const saving = Effect.ignoreCause(Semaphore.withPermit(one, saveSkipped))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(sleep(longestUnsaved), saving)))

  /** Routes events from where the route is saved. Undefined if the endpoint is deleted, or its route has gone back. */
  const routing = (page: ReadonlyArray<Event>) =>
    Effect.gen(function* () {
      const from = saved.after
      const routed = yield* storage.transact(
        Effect.flatMap(journal.clockTime, (now) => routeEvents(storage, id, from, page, now)),
        "deliveries.create"
      )
      if (routed === undefined || routed.route.after < from) return undefined
      saved = routed.route
      route = routed.route
      return route
    })

  for (;;) {
    const page: ReadonlyArray<Event> = yield* follower.next
    const isOwn = page.some(({ subject }) => subject === `webhooks/${id}`)
    // Another process may have routed events already. Attempts go on meanwhile, so that nothing is sent twice.
    let rest = page.filter(({ seq }) => seq > route.after)
    if (!isOwn && !rest.some((event) => getsEvent(route, id, event))) {
      route = routeOver(route, id, rest)
      if (route.after - saved.after < longestSkip) continue
    }
    while (rest.length > 0) {
      const routed = yield* Semaphore.withPermit(one, routing(rest))
      if (routed === undefined) return
      rest = rest.filter(({ seq }) => seq > routed.after)
      worker.wake()
    }
    if (!isOwn) continue
    const now = yield* storage.webhooks.find(id)
    if (now === undefined || now.webhook.concurrency !== record.webhook.concurrency) return
    worker.wake()
  }
})

const routeOver = (route: WebhookRoute, id: number, page: ReadonlyArray<Event>): WebhookRoute =>
  page.reduce((before, event) => routeAfter(before, id, event), route)
