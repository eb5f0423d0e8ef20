import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { trimThrough } from "../../../test/trimStore.ts"
import { accessFaults } from "../../../test/verification/accessFaults.ts"
import { opened, verified } from "../../../test/verification/damagedStore.ts"
import { change, changeOf, type Damage } from "../../../test/verification/Fault.ts"
import { idempotencyFaults } from "../../../test/verification/idempotencyFaults.ts"
import { ledgerFaults } from "../../../test/verification/ledgerFaults.ts"
import { messageFaults } from "../../../test/verification/messageFaults.ts"
import { orderFaults } from "../../../test/verification/orderFaults.ts"
import { petFaults } from "../../../test/verification/petFaults.ts"
import { webhookFaults } from "../../../test/verification/webhookFaults.ts"
import { messageAttempts } from "../../domain/messages/MessageState.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage } from "../../ports/Storage.ts"
import { MessageQueue } from "../messages/MessageQueue.ts"

const onShop = <A, E>(body: Effect.Effect<A, E, Petstore | Storage>) =>
  Effect.provide(Effect.andThen(opened, body), Petstore.layer(memory()))

const requireSound = Effect.gen(function* () {
  const { verify } = yield* Petstore
  const { checks } = yield* verify
  assert.deepStrictEqual(
    checks.filter(({ violations }) => violations > 0).map(({ examples, name }) => ({ name, examples })),
    []
  )
})

const faults = [
  ...petFaults,
  ...orderFaults,
  ...ledgerFaults,
  ...messageFaults,
  ...idempotencyFaults,
  ...accessFaults,
  ...webhookFaults
].filter(({ damage }) => damage.events === undefined)

describe("given a fault in a store of whose log only the last event is kept", () => {
  for (const { damage, found, given } of faults) {
    it.effect(`when there is ${given}, then verification finds it`, () =>
      Effect.gen(function* () {
        const { found: shown } = yield* verified(damage, { kept: 1 })
        assert.isNotEmpty(Object.keys(shown))
        const spilled = yield* verified(damage, { kept: 1, ids: 2 })
        assert.sameMembers(Object.keys(spilled.found), Object.keys(shown))
        // What is compared with removed events is found by a digest: another rule than with the events may show it.
        const [about = ""] = Object.keys(found)
        if (!about.startsWith("event")) assert.include(Object.keys(shown), about)
      })
    )
  }
})

describe("given a row that has ended, in a store of whose log only the last event is kept", () => {
  const damages: ReadonlyArray<readonly [string, string, Damage]> = [
    [
      "the ship date of a complete order",
      "events_replay_orders",
      { orders: changeOf(2, (row) => ({ ...row, order: { ...row.order, shipDate: "2030-01-01T00:00:00.000Z" } })) }
    ],
    [
      "the version of a cancelled order",
      "events_replay_orders",
      { orders: changeOf(3, (row) => ({ ...row, version: 9 })) }
    ],
    ["the name of a deleted pet", "events_replay_pets", { pets: changeOf(4, (row) => ({ ...row, name: "Kit" })) }],
    [
      "the name of a deleted category",
      "events_replay_categories",
      {
        categories: change(
          ({ category }) => category.id === 3,
          (row) => ({ ...row, category: { ...row.category, name: "birds" } })
        )
      }
    ]
  ]
  for (const [what, rule, damage] of damages) {
    it.effect(`when ${what} was changed, then verification finds it and names the range of ids`, () =>
      Effect.gen(function* () {
        const { found } = yield* verified(damage, { kept: 1 })
        assert.match(JSON.stringify(found[rule]), /"rows":"\w+ 0 to 255","digest":/)
      })
    )
  }
})

describe("given a shop with everything that the rules are about", () => {
  it.effect("when its log is trimmed at any event, then every rule holds, and the next events follow", () =>
    Effect.gen(function* () {
      const latest = yield* onShop(Effect.flatMap(Petstore, ({ events }) => events.latest))
      assert.isAbove(latest, 20)
      for (let through = 1; through < latest; through++) {
        yield* onShop(
          Effect.gen(function* () {
            yield* trimThrough(through)
            yield* requireSound
            const { categories, inventory, orders, pets } = yield* Petstore
            yield* categories.delete(yield* Effect.map(categories.create({ name: "Fish" }), ({ id }) => id))
            yield* pets.update(1, { name: "Rexy", status: "pending" })
            yield* pets.update(5, { status: "pending" })
            yield* inventory.set(3, 2)
            yield* orders.complete(1)
            yield* orders.cancel(5)
            yield* orders.update(4, { quantity: 9 })
            yield* requireSound
          })
        )
      }
    })
  )

  it.effect("when its log is trimmed event by event, then every rule holds after each", () =>
    onShop(
      Effect.gen(function* () {
        const { latest } = (yield* Petstore).events
        const last = yield* latest
        for (let through = 1; through < last; through++) {
          yield* trimThrough(through)
          yield* requireSound
        }
      })
    )
  )
})

/** Messages in every state, and one that was deleted. */
const messagesOfAllStates = Effect.gen(function* () {
  const { messages } = yield* Petstore
  const queue = yield* MessageQueue
  for (const text of ["gone", "delivered", "queued again", "failed"]) yield* messages.enqueue(text)
  const { items } = yield* queue.recordAndClaim([], 2, 30_000)
  const ended = items.map(({ fence, id }) => ({ item: { id, fence }, outcome: "delivered" as const }))
  yield* queue.recordAndClaim(ended, 0, 0)
  yield* queue.purge("2999-01-01T00:00:00.000Z", 1)
  for (let attempt = 0; attempt < messageAttempts; attempt++) {
    for (const { fence, id } of (yield* queue.recordAndClaim([], 2, 30_000)).items)
      yield* queue.recordAndClaim([{ item: { id, fence }, outcome: { error: "no" } }], 0, 0)
    yield* TestClock.adjust("12 hours")
  }
  const { items: failed } = yield* messages.list({ status: "failed" })
  yield* messages.requeue(failed[0]?.id ?? "")
  yield* messages.enqueue("waiting")
})

describe("given messages that were delivered, deleted, failed and queued again", () => {
  it.effect("when the log is trimmed at any event, then every rule holds", () =>
    Effect.gen(function* () {
      const inQueue = <A, E>(body: Effect.Effect<A, E, Petstore | Storage>) =>
        Effect.provide(Effect.andThen(messagesOfAllStates, body), Petstore.layer(memory()))
      const types = yield* inQueue(
        Effect.flatMap(Storage, ({ events }) => Effect.map(events.scan(0, 100), (all) => all.map(({ type }) => type)))
      )
      assert.includeMembers(types, ["message.delivered", "message.deleted", "message.failed"])
      for (let through = 1; through < types.length; through++) {
        yield* inQueue(Effect.andThen(trimThrough(through), requireSound))
      }
    })
  )
})
