import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { WebhookSender } from "../../ports/WebhookSender.ts"
import { Commands } from "../../programs/Commands.ts"
import { Journal } from "../../programs/events/Journal.ts"
import { DeliveryWakes } from "../../programs/webhooks/DeliveryWakes.ts"
import { WebhookSecrets } from "../../programs/webhooks/secrets/WebhookSecrets.ts"
import { endpoints } from "../../tables/index.ts"
import { elapsedMillis, sleep } from "../background/sleep.ts"
import { Events } from "../events/Events.ts"
import { AttemptCounts } from "../stats/AttemptCounts.ts"
import { DeliveryWork } from "./DeliveryWork.ts"
import { webhookLane } from "./WebhookLane.ts"

/** Milliseconds after which to try again what the store has refused. */
const retryAfterMillis = 1_000

/** Milliseconds without a failure after which the next one is logged again: more than an idle lane waits between two looks. */
const quietMillis = 20_000

const pageSize = 100

/** Milliseconds between two looks for endpoints and deliveries after commits; longer with many endpoints, since each of them looks. */
const betweenLooksMillis = 1_000
const betweenLooksOfLane = 10

/** Delivers events to every endpoint while the petstore is open: nothing is sent before the commit of its event. */
export const dispatchLayer = (sender: WebhookSender["Service"] | undefined) =>
  sender === undefined ? Layer.empty : Layer.effectDiscard(dispatch(sender))

const dispatch = Effect.fnUntraced(function* (sender: WebhookSender["Service"]) {
  const storage = yield* Storage
  const journal = yield* Journal
  const eventLog = yield* Events
  const wakes = yield* DeliveryWakes
  const commands = yield* Commands
  const secrets = yield* WebhookSecrets
  const work = new DeliveryWork(commands, storage, journal, sender, yield* AttemptCounts, secrets)
  const { persistently, report } = retrying()
  const services = { commands, storage, journal, eventLog, secrets, wakes, work, report }
  const lanes = new Set<number>()
  const fibers = yield* FiberSet.make<void>()

  const start = (id: number) =>
    Effect.suspend(() => {
      if (lanes.has(id)) return Effect.void
      lanes.add(id)
      const lane = Effect.ensuring(
        persistently(`deliver to webhook ${id}`, webhookLane(services, id)),
        Effect.sync(() => lanes.delete(id))
      )
      return Effect.asVoid(FiberSet.run(fibers, lane))
    })

  /** Starts a lane for every endpoint that has none. Whenever it starts, a lane begins behind the last event that it routed. */
  const startAll = Effect.gen(function* () {
    for (let after = 0; ; ) {
      const page = yield* storage.select(endpoints, after, pageSize)
      for (const { webhook } of page) yield* start(webhook.id)
      const last = page.at(-1)
      if (last === undefined || page.length < pageSize) return
      after = last.webhook.id
    }
  })

  /** Looks for endpoints that this petstore has created, at once. */
  const followCreations = Effect.gen(function* () {
    const created = Latch.makeUnsafe(false)
    yield* wakes.listenForEndpoints(() => created.openUnsafe())
    for (;;) {
      yield* created.await
      yield* created.close
      yield* startAll
    }
  })

  /**
   * Looks after commits: another process, or a transaction of several commands, may have created an endpoint, or made deliveries
   * due, which is no event. To follow the log for the endpoints would read every event for a few.
   */
  const followCommits = Effect.gen(function* () {
    const committed = Latch.makeUnsafe(false)
    yield* storage.watch(() => committed.openUnsafe())
    yield* startAll
    for (;;) {
      yield* committed.await
      yield* committed.close
      yield* startAll
      const lanesWoken = yield* wakes.wakeAll
      yield* sleep(Math.max(betweenLooksMillis, lanesWoken * betweenLooksOfLane))
    }
  })

  yield* FiberSet.run(fibers, persistently("look for new webhooks", Effect.scoped(followCreations)))
  yield* FiberSet.run(fibers, persistently("look for webhooks", Effect.scoped(followCommits)))
})

/**
 * Returns a function that runs an effect again while the store fails, and what logs the failures. What it runs ends when the effect
 * succeeds, and when the petstore closes. Of failures that follow each other only the first is logged, whichever effect or worker fails:
 * while the store is away, all of them do, once a second.
 */
const retrying = () => {
  let failedAt = Number.NEGATIVE_INFINITY
  const persistently = <A>(what: string, effect: Effect.Effect<A, StorageError>): Effect.Effect<void> =>
    Effect.matchCauseEffect(effect, {
      onSuccess: () => Effect.void,
      onFailure: (cause) => {
        if (Cause.hasInterrupts(cause) || isClosing(cause)) return Effect.interrupt
        return report(what, cause).pipe(
          Effect.andThen(sleep(retryAfterMillis)),
          Effect.andThen(Effect.suspend(() => persistently(what, effect)))
        )
      }
    })
  const report = (what: string, cause: Cause.Cause<unknown>) =>
    Effect.flatMap(elapsedMillis, (now) => {
      const isFirst = now - failedAt > quietMillis
      failedAt = now
      return isFirst ? Effect.logWarning(`Cannot ${what}; this is tried again`, cause) : Effect.void
    })
  return { persistently, report }
}

const isClosing = (cause: Cause.Cause<StorageError>): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error._tag === "ShuttingDown")
