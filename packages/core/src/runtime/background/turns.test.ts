import { assert, describe, it } from "@effect/vitest"
import { memory } from "@petstore/core"
import { runtimeOf } from "@petstore/core/effect"
import { Storage } from "@petstore/core/ports"
import { Commands, MessageQueue, type Runtime, WebhookSecrets } from "@petstore/core/runtime"
import { deliveries, webhooks } from "@petstore/core/tables"
import { type TestPetstore, type TestPetstoreOptions, testPetstore } from "@petstore/testing"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { clearText, expectLogs } from "../../../test/support/expectLogs.ts"
import { routeEvents } from "../../programs/webhooks/routeEvents.ts"
import { claimDeliveries, recordAttempts } from "../webhooks/deliveryCommands.ts"

expectLogs(clearText)

/** Nanoseconds that pass between two looks at the clock: a turn of 1 ms has four of them. */
const perLook = 300_000n
const perTurn = 4

/** Runs an effect on a machine that needs so long between two looks. */
const slowly = <A, E>(petstore: TestPetstore, effect: Effect.Effect<A, E, Runtime>): Promise<A> =>
  runtimeOf(petstore).runPromise(
    Effect.updateService(effect, Clock.Clock, (clock) => {
      let nanos = 0n
      return Object.assign(Object.create(clock), { monotonicTimeNanosUnsafe: () => (nanos += perLook) })
    })
  )

const count = 10
const lease = 30_000

const givenMessages = async (options: TestPetstoreOptions = {}) => {
  const petstore = await testPetstore(options)
  for (let n = 0; n < count; n++) await petstore.messages.enqueue(`Hello ${n}`)
  return petstore
}

/** A store whose commands wait for a database server, which has a clock of its own. */
const onServer = () => {
  const storage = memory()
  const layer = Layer.effect(
    Storage,
    Effect.map(Storage, (store) => Object.assign(Object.create(store), { clockOffset: () => 0 }))
  ).pipe(Layer.provide(storage.layer))
  return { ...storage, layer }
}

const queue = <A, E>(use: (queue: MessageQueue["Service"]) => Effect.Effect<A, E>) => Effect.flatMap(MessageQueue, use)

describe("a turn of background work", () => {
  it("given messages to claim, then it ends with its time, and reports that there are more", async () => {
    await using petstore = await givenMessages()
    const claim = queue(({ recordAndClaim }) => recordAndClaim([], count, lease))
    const turns = [await slowly(petstore, claim), await slowly(petstore, claim), await slowly(petstore, claim)]
    assert.deepStrictEqual(
      turns.map(({ isCut, items }) => [items.length, isCut]),
      [
        [perTurn, true],
        [perTurn, true],
        [count - 2 * perTurn, false]
      ]
    )
  })

  it("given messages on a server, then waiting for it does not end the turn", async () => {
    await using petstore = await givenMessages({ storage: onServer() })
    const { isCut, items } = await slowly(
      petstore,
      queue(({ recordAndClaim }) => recordAndClaim([], count, lease))
    )
    assert.deepStrictEqual([items.length, isCut], [count, false])
  })

  it("given outcomes to record, then it records the first ones, and claims nothing", async () => {
    await using petstore = await givenMessages()
    const { items } = await runtimeOf(petstore).runPromise(
      queue(({ recordAndClaim }) => recordAndClaim([], count - 1, lease))
    )
    const ended = items.map((item) => ({ item, outcome: "delivered" as const }))
    const turn = await slowly(
      petstore,
      queue(({ recordAndClaim }) => recordAndClaim(ended, 1, lease))
    )
    assert.deepStrictEqual([turn.recorded, turn.items, turn.refused, turn.isCut], [perTurn, [], [], true])
    const delivered = await petstore.messages.list({ status: "delivered" })
    assert.deepStrictEqual(
      delivered.items.map(({ id }) => id),
      items.slice(0, perTurn).map(({ id }) => id)
    )
  })

  it("given messages whose leases have expired, then each is claimed alone, and so are their next attempts", async () => {
    await using petstore = await givenMessages()
    const claim = () => runtimeOf(petstore).runPromise(queue(({ recordAndClaim }) => recordAndClaim([], count, lease)))
    await runtimeOf(petstore).runPromise(queue(({ recordAndClaim }) => recordAndClaim([], 2, lease)))
    await petstore.clock.advance("30 seconds")
    const turns = [await claim(), await claim(), await claim()]
    assert.deepStrictEqual(
      turns.map(({ isCut, items }) => [items.length, isCut, items[0]?.record.attempts]),
      [
        [1, true, 1],
        [1, true, 1],
        [count - 2, false, 1]
      ]
    )
  })

  it("given deliveries to make, to claim and to record, then each ends with its time", async () => {
    await using petstore = await givenMessages()
    await petstore.webhooks.create({ url: "https://example.com/", types: ["message.queued"], concurrency: count })
    for (let n = 0; n < count; n++) await petstore.messages.enqueue(`Bye ${n}`)
    const [routed, claimed, recorded, sent] = await slowly(
      petstore,
      Effect.gen(function* () {
        const store = yield* Storage
        const { run } = yield* Commands
        const secrets = yield* WebhookSecrets
        const from = (yield* store.find(webhooks, 1))?.route.after ?? 0
        // The first one is that of the endpoint itself.
        const page = yield* store.events.scan(from, 99)
        const through = page.at(-1)?.seq ?? 0
        const route = yield* run("deliveries.create", (call) => routeEvents(call, secrets, 1, { from, through }, page))
        const made = yield* store.scan(deliveries, [], 99)
        yield* Effect.forEach([1, 2], () =>
          Effect.flatMap(store.find(webhooks, 1), (record) => {
            const after = record?.route.after ?? 0
            const rest = page.filter(({ seq }) => seq > after)
            return run("deliveries.create", (call) => routeEvents(call, secrets, 1, { from: after, through }, rest))
          })
        )
        const claim = run("deliveries.claim", (call) => claimDeliveries(call, secrets, 1, count, count, call.turn()))
        const first = yield* claim
        const { items } = yield* claim
        const ended = [...first.items, ...items].map((item) => ({
          item,
          outcome: { delivered: true, status: 204 } as const
        }))
        const attempts = yield* run("deliveries.record", (call) =>
          recordAttempts(call, secrets, 1, ended, () => 0, call.turn())
        )
        const all = yield* store.scan(deliveries, [], 99)
        return [
          [made.length, route?.after === page[perTurn]?.seq],
          [first.items.length, first.isCut, items.length],
          [ended.length, attempts.left],
          [all.length, all.filter(({ delivery }) => delivery.status === "delivered").length]
        ] as const
      })
    )
    assert.deepStrictEqual(routed, [perTurn, true])
    assert.deepStrictEqual(claimed, [perTurn, true, perTurn])
    assert.deepStrictEqual(recorded, [2 * perTurn, perTurn])
    assert.deepStrictEqual(sent, [count, perTurn])
  })
})
