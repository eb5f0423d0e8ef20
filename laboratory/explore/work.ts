import type { Petstore } from "@petstore/core"
import { runtimeOf } from "@petstore/core/effect"
import { Storage } from "@petstore/core/ports"
import {
  ApiKeys,
  type AttemptOutcome,
  Commands,
  Journal,
  MessageQueue,
  type Runtime,
  WebhookSecrets
} from "@petstore/core/runtime"
import { consumers, deliveries, messages, parkedEvents, webhooks } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { plusMillis } from "../../packages/core/src/domain/Timestamp.ts"
import { routeEvents } from "../../packages/core/src/programs/webhooks/routeEvents.ts"
import { ConsumerClaims } from "../../packages/core/src/runtime/consumers/ConsumerClaims.ts"
import { Consumers } from "../../packages/core/src/runtime/consumers/Consumers.ts"
import {
  changeDeliveries,
  claimDeliveries,
  recordAttempts
} from "../../packages/core/src/runtime/webhooks/deliveryCommands.ts"
import type { ExploreOptions } from "./explore.ts"

type Command = ExploreOptions["commands"][string]

const inRuntime =
  (effect: Effect.Effect<unknown, unknown, Runtime>): Command =>
  (petstore) =>
    runtimeOf(petstore).runPromise(effect)

const lease = 30_000
const invoices = "invoices"

/** The messages, oldest first. */
const messagesOf = Effect.flatMap(Storage, (store) => store.scan(messages, [], 9))

const claims = (holder: string, hasEnded: () => boolean) =>
  Effect.gen(function* () {
    const claimant = { name: invoices, holder, lease, hasEnded }
    return new ConsumerClaims(yield* Storage, yield* Commands, yield* Journal, claimant)
  })

/** Routes events to an endpoint, up to the last one. */
const route = (webhookId: number) =>
  Effect.gen(function* () {
    const store = yield* Storage
    const { run } = yield* Commands
    const secrets = yield* WebhookSecrets
    const from = (yield* store.find(webhooks, webhookId))?.route.after ?? 0
    const page = yield* store.events.scan(from, 99)
    const part = { from, through: page.at(-1)?.seq ?? from }
    yield* run("deliveries.create", (call) => routeEvents(call, secrets, webhookId, part, page))
  })

/** A turn that does not end. */
const endless = () => false

const claimDue = (limit: number) =>
  Effect.gen(function* () {
    const { run } = yield* Commands
    const secrets = yield* WebhookSecrets
    yield* run("deliveries.claim", (call) => claimDeliveries(call, secrets, 1, limit, 9, endless))
  })

/** A delivery to the first endpoint as its worker has it. */
const claimed = (id: number) =>
  Effect.gen(function* () {
    const { find } = yield* Storage
    const [record, webhook] = [yield* find(deliveries, id), yield* find(webhooks, 1)]
    if (record === undefined || webhook === undefined) return yield* Effect.die(new Error("Nobody has claimed it"))
    return { record, webhook }
  })

const recorded = (id: number, outcome: Parameters<typeof recordAttempts>[3][number]["outcome"]) =>
  Effect.gen(function* () {
    const item = yield* claimed(id)
    const { run } = yield* Commands
    const secrets = yield* WebhookSecrets
    yield* run("deliveries.record", function* (call) {
      yield* recordAttempts(call, secrets, 1, [{ item, outcome }], () => 0, endless)
      yield* claimDeliveries(call, secrets, 1, 1, 9, endless)
    })
  })

const withMessage = (
  use: (
    queue: MessageQueue["Service"],
    claim: { readonly id: string; readonly fence: number }
  ) => Effect.Effect<unknown, unknown>
) =>
  Effect.gen(function* () {
    const [, second] = yield* messagesOf
    if (second !== undefined) yield* use(yield* MessageQueue, { id: second.id, fence: second.lease.fence })
  })

/** Records how the attempt at the second message ended, and claims what is due. */
const ended = (outcome: AttemptOutcome) =>
  withMessage(({ recordAndClaim }, item) => recordAndClaim([{ item, outcome }], 9, lease))

/** A use of the claim of the consumer. */
const holding = (
  use: (claims: ConsumerClaims, claim: Parameters<ConsumerClaims["record"]>[0]) => Effect.Effect<unknown, unknown>
) =>
  Effect.gen(function* () {
    const claim = { fence: 1, position: 4, recorded: 1, attempts: 0, retryAt: undefined }
    yield* use(yield* claims("1-a", () => false), claim)
  })

const parked = { consumer: invoices, seq: 1, attempts: 3, failure: "no paper", parkedAt: "", replay: false }

/** Those of the admin keys of the last petstore. */
let tokens: Array<string> = []

/**
 * Two admin keys; messages 1 (delivered), 2 (claimed) and 3; an endpoint with deliveries of all events, of which four are claimed, and one
 * that gets the messages; a consumer that is claimed, with a parked event.
 */
const given = async (petstore: Petstore): Promise<void> => {
  const { accounts, apiKeys, categories, messages, webhooks } = petstore
  const { id: accountId } = await accounts.create({ name: "Acme" })
  tokens = []
  for (const name of ["Till", "Office"]) tokens.push((await apiKeys.create({ accountId, name, scopes: ["admin"] })).key)
  await webhooks.create({ url: "https://example.com/1", types: ["category.created", "message.queued"] })
  await webhooks.create({ url: "https://example.com/2", types: ["message.queued"] })
  await categories.create({ name: "Dogs" })
  for (const text of ["Feed Rex", "Feed Tom", "Feed Leo"]) await messages.enqueue(text)
  await categories.create({ name: "Cats" })
  await inRuntime(
    Effect.gen(function* () {
      const queue = yield* MessageQueue
      const { items } = yield* queue.recordAndClaim([], 2, lease)
      for (const { fence, id } of items.slice(0, 1))
        yield* queue.recordAndClaim([{ item: { id, fence }, outcome: "delivered" }], 0, 0)
      yield* route(1)
      yield* claimDue(4)
      const { run } = yield* Storage
      const createdAt = yield* (yield* Journal).now
      const consumer = { name: invoices, position: 1, lease: { fence: 0 }, attempts: 0, createdAt }
      const event = { ...parked, parkedAt: createdAt }
      yield* run(function* (tx) {
        tx.add(consumers, consumer)
        tx.add(parkedEvents, event)
      }, "consumers.open")
      yield* (yield* claims("1-a", () => false)).claim
    })
  )(petstore)
}

/** The use of key 2 is recorded beside the request. */
const authenticateKey2 = Effect.gen(function* () {
  const { authenticate } = yield* ApiKeys
  yield* authenticate(tokens[1] ?? "")
  yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
})

const failed = { delivered: false, reason: "connection", message: "No connection" } as const

/**
 * What workers do beside calls, in the ways in which they meet. A claim leaves out what others have locked, whether or not these change it:
 * none here locks a message that is due and leaves it as it is. The route of a new endpoint may begin before events which it does not get,
 * so that to create one is not here.
 */
export const workCommands: Omit<ExploreOptions, "atOnce"> = {
  given,
  commands: {
    "queue a message": ({ messages }) => messages.enqueue("Feed Max"),
    "claim messages": inRuntime(Effect.flatMap(MessageQueue, ({ recordAndClaim }) => recordAndClaim([], 9, lease))),
    "deliver message 2": inRuntime(ended("delivered")),
    "fail to deliver message 2": inRuntime(ended({ error: "No paper" })),
    "give message 2 back": inRuntime(withMessage(({ release }, claim) => release([claim]))),
    "extend the lease of message 2": inRuntime(withMessage(({ extend }, claim) => extend([claim], lease))),
    "purge messages": inRuntime(Effect.flatMap(MessageQueue, ({ purge }) => purge("2100", 9))),
    "disable endpoint 1": ({ webhooks }) => webhooks.update(1, { enabled: false }),
    "move endpoint 1 if it is unchanged": ({ webhooks }) =>
      webhooks.update(1, { url: "https://example.com/new" }, { ifVersion: 1 }),
    "delete endpoint 1": ({ webhooks }) => webhooks.delete(1),
    "give endpoint 1 a new secret": ({ webhooks }) => webhooks.rotateSecret(1),
    "deliver all to endpoint 1 again": ({ webhooks }) => webhooks.redeliver(1, { after: 0 }),
    "deliver what failed again": ({ deliveries }) => deliveries.requeueAll({ status: "failed" }),
    "deliver delivery 5 again": ({ webhooks }) => webhooks.redeliver(1, { deliveryId: 5 }),
    "route events to endpoint 2": inRuntime(route(2)),
    "claim deliveries to endpoint 1": inRuntime(claimDue(9)),
    "fail at delivery 1": inRuntime(recorded(1, failed)),
    "find endpoint 1 gone at delivery 1": inRuntime(recorded(1, { ...failed, reason: "gone" })),
    "deliver message 3 by delivery 4": inRuntime(recorded(4, { delivered: true, status: 204 })),
    "extend the lease of delivery 1": inRuntime(
      Effect.gen(function* () {
        const { run } = yield* Commands
        const item = yield* claimed(1)
        yield* run("deliveries.extend", (call) =>
          changeDeliveries(call, 1, [item], ({ lease: { fence }, ...rest }, now) => ({
            ...rest,
            lease: { fence, until: plusMillis(now, 2 * lease) }
          }))
        )
      })
    ),
    "give delivery 1 back": inRuntime(
      Effect.gen(function* () {
        const item = yield* claimed(1)
        const { run } = yield* Commands
        yield* run("deliveries.release", (call) =>
          changeDeliveries(call, 1, [item], ({ delivery, lease: { fence }, ...rest }, nextAttemptAt) => ({
            ...rest,
            delivery: { ...delivery, nextAttemptAt },
            lease: { fence }
          }))
        )
      })
    ),
    "open a consumer": ({ events }) => events.consume("archive", () => undefined),
    "record the position of the consumer": inRuntime(holding((held, claim) => held.record(claim))),
    "extend the lease of the consumer": inRuntime(holding((held, claim) => held.extend(claim))),
    "park an event": inRuntime(holding((held, claim) => held.park(claim, 5, "No paper"))),
    "park the parked event again": inRuntime(holding((held, claim) => held.parkAgain(claim, parked, "No ink"))),
    "give the consumer back": inRuntime(holding((held, claim) => held.release(claim))),
    "take the consumer over": inRuntime(
      Effect.flatMap(
        claims("2-b", () => true),
        ({ claim }) => claim
      )
    ),
    "replay the parked event": inRuntime(Effect.flatMap(Consumers, ({ replay }) => replay(invoices, 1))),
    "discard the parked event": inRuntime(Effect.flatMap(Consumers, ({ discard }) => discard(invoices, 1))),
    "remove the consumer": inRuntime(Effect.flatMap(Consumers, ({ remove }) => remove(invoices))),
    "use key 2": inRuntime(authenticateKey2),
    "create a key": ({ apiKeys }) => apiKeys.create({ accountId: 1, name: "New", scopes: ["admin"] }),
    "give key 1 a new secret": ({ apiKeys }) => apiKeys.rotate(1),
    "revoke key 1": ({ apiKeys }) => apiKeys.revoke(1),
    "revoke key 2": ({ apiKeys }) => apiKeys.revoke(2)
  }
}

const { "claim messages": _, ...withoutClaims } = workCommands.commands

/**
 * The same without claims of messages: a delivery that has locked a message, which a claim leaves out, leaves it as it is if a third command
 * has deleted its endpoint.
 */
export const workOfThree: typeof workCommands = { given, commands: withoutClaims }
