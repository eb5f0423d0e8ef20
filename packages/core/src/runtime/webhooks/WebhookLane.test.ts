import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { withLockChecks } from "../../../../../laboratory/locks/withLockChecks.ts"
import { givenLogger } from "../../../test/support/givenLogger.ts"
import { withRows } from "../../../test/support/withRows.ts"
import { changeRow, noticed, replaces } from "../../../test/support/writes.ts"
import { settle } from "../../../test/webhooks/sending.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage, type StorageAdapter } from "../../ports/Storage.ts"
import type { WebhookRequest } from "../../ports/WebhookSender.ts"
import { endpoints as endpointsAfter, webhooks as webhookTable } from "../../tables/index.ts"
import { Trimming } from "../retention/Trimming.ts"

const url = "https://example.com/hook"

const opened = Effect.suspend(() => openedOn(memory()))

const openedOn = Effect.fnUntraced(function* (adapter: StorageAdapter) {
  const sent: Array<string> = []
  const send = ({ body }: WebhookRequest) =>
    Effect.sync(() => {
      const { data, type } = JSON.parse(body)
      sent.push(`${type} ${data.name}`)
      return { delivered: true, status: 204 } as const
    })
  const counts = { reads: 0, saves: 0 }
  const counted = withRows(adapter, ({ run }) => ({
    run: (begin, command) =>
      run(
        (tx, context) =>
          noticed(tx, begin(tx, context), (writes) => {
            if (replaces(webhookTable, writes)) counts.saves++
          }),
        command
      )
  }))
  const services = yield* Layer.build(
    Petstore.layer(withLockChecks(counted), {
      webhooks: { send, urlProblem: () => undefined },
      retention: { events: { count: 1 } }
    })
  )
  const storage = Context.get(services, Storage)
  const { scan } = storage.events
  Reflect.set(storage.events, "scan", (...args: Parameters<typeof scan>) => {
    counts.reads++
    return scan(...args)
  })
  const { trim } = Context.get(services, Trimming)
  return { ...Context.get(services, Petstore), storage, counts, sent, trim }
})

/** How often the log was read and endpoints were saved while changes were made that no endpoint gets. */
const costOf = (endpoints: number) =>
  Effect.gen(function* () {
    const { categories, counts, storage, webhooks } = yield* opened
    for (let count = 0; count < endpoints; count++) yield* webhooks.create({ url, types: ["order.cancelled"] })
    yield* settle
    const before = { ...counts }
    for (let count = 0; count < 600; count++) {
      yield* categories.create({ name: `C${count}` })
      if (count % 100 === 0) yield* settle
    }
    yield* settle
    const cost = { reads: counts.reads - before.reads, saves: counts.saves - before.saves }
    yield* TestClock.adjust(50_000)
    yield* settle
    const soon = counts.saves - before.saves
    yield* TestClock.adjust(20_000)
    yield* settle
    return { ...cost, soon, later: counts.saves - before.saves, routes: yield* storage.select(endpointsAfter, 0, 100) }
  })

describe("given endpoints for events that do not happen", () => {
  it.effect(
    "when much else happens, then the log is read no more often for 50 than for one, and nothing is written",
    () =>
      Effect.gen(function* () {
        const one = yield* costOf(1)
        const many = yield* costOf(50)
        assert.isAtMost(many.reads, one.reads + 5)
        assert.deepStrictEqual([one.saves, many.saves, many.soon], [0, 0, 0])
        // Once a minute, so that retention can go on.
        assert.strictEqual(many.later, 50)
        assert.deepStrictEqual(new Set(many.routes.map(({ route }) => route.after)), new Set([650]))
      })
  )
})

describe("given an endpoint that changes between events", () => {
  it.effect("when all of them are routed at once, then each is routed by the types of its time", () =>
    Effect.gen(function* () {
      const { categories, sent, verify, webhooks } = yield* opened
      const { id } = yield* webhooks.create({ url, types: ["category.created"], ordered: false })
      yield* settle
      const create = (name: string) => Effect.map(categories.create({ name }), ({ id: categoryId }) => categoryId)
      const first = yield* create("A")
      yield* webhooks.update(id, { types: ["category.updated"] })
      yield* create("B")
      yield* categories.update(first, { description: "1" })
      yield* webhooks.update(id, { enabled: false })
      yield* categories.update(first, { description: "2" })
      yield* webhooks.update(id, { enabled: true, types: ["category.created", "category.deleted"] })
      const last = yield* create("C")
      yield* categories.update(first, { description: "3" })
      yield* categories.delete(last)
      yield* settle
      yield* settle
      assert.deepStrictEqual(sent.toSorted(), [
        "category.created A",
        "category.created C",
        "category.deleted undefined",
        "category.updated A"
      ])
      const { checks } = yield* verify
      assert.deepStrictEqual(
        checks.filter(({ violations }) => violations > 0),
        []
      )
    })
  )
})

describe("given two petstores that route the events of an endpoint", () => {
  it.effect("when one learns what the other has routed while its events wait, then it routes none of them again", () =>
    Effect.gen(function* () {
      const database = memory()
      const gate = Latch.makeUnsafe(true)
      const waiting = withRows(database, ({ run }) => ({
        run: (begin, command) =>
          command === "deliveries.create" ? Effect.andThen(gate.await, run(begin, command)) : run(begin, command)
      }))
      const { logged, logging } = givenLogger()
      const one = yield* logging(openedOn(waiting))
      yield* one.webhooks.create({ url, types: ["category.deleted"] })
      const ids = [yield* one.categories.create({ name: "A" }), yield* one.categories.create({ name: "B" })]
      yield* settle
      yield* gate.close
      // It waits to save that it has skipped events.
      yield* TestClock.adjust("70 seconds")
      yield* settle
      const other = yield* openedOn(database)
      for (const { id } of ids) yield* other.categories.delete(id)
      yield* settle
      yield* settle
      yield* gate.open
      yield* settle
      yield* TestClock.adjust("2 seconds")
      yield* settle
      assert.deepStrictEqual(logged, [])
      assert.lengthOf([...one.sent, ...other.sent], 2)
    })
  )
})

describe("given an endpoint whose next events are no longer kept", () => {
  /** Its first four events are gone, and its route is behind the first. */
  const trimmedDatabase = Effect.scoped(
    Effect.gen(function* () {
      const adapter = memory()
      const { categories, storage, trim, webhooks } = yield* openedOn(adapter)
      const { id: webhookId } = yield* webhooks.create({ url, types: ["category.deleted"] })
      let last = 0
      for (const name of ["A", "B", "C", "D"]) last = (yield* categories.create({ name })).id
      const moveTo = (after: number) =>
        changeRow(storage, webhookTable, webhookId, (record) => ({ ...record, route: { ...record.route, after } }))
      // Retention keeps the events that an endpoint has not got, so the route goes back behind its back, as by a restore.
      yield* moveTo(5)
      assert.strictEqual((yield* trim).removed, 4)
      yield* moveTo(1)
      return { adapter, last, webhookId }
    })
  )

  it.effect("when two petstores move its route, then the later one does not move it back", () =>
    Effect.gen(function* () {
      const { adapter, last, webhookId } = yield* trimmedDatabase
      const gate = Latch.makeUnsafe(false)
      const waiting = withRows(adapter, ({ run }) => ({
        run: (begin, command) =>
          command === "deliveries.create" ? Effect.andThen(gate.await, run(begin, command)) : run(begin, command)
      }))
      const one = yield* openedOn(waiting)
      yield* settle
      const other = yield* openedOn(adapter)
      yield* settle
      yield* other.categories.delete(last)
      yield* settle
      const before = yield* other.storage.find(webhookTable, webhookId)
      yield* gate.open
      yield* settle
      assert.deepStrictEqual(yield* other.storage.find(webhookTable, webhookId), before)
      assert.lengthOf([...one.sent, ...other.sent], 1)
    })
  )

  it.effect("when the petstore opens, then the endpoint gets the events from the earliest one that is kept", () =>
    Effect.gen(function* () {
      const { adapter, last, webhookId } = yield* trimmedDatabase
      const { logged, logging } = givenLogger()
      const { categories, sent, storage, verify } = yield* logging(openedOn(adapter))
      yield* settle
      assert.deepStrictEqual(logged, ["Webhook 1 misses the events 2 to 4, which are no longer kept"])
      assert.strictEqual((yield* storage.find(webhookTable, webhookId))?.route.after, 4)
      yield* categories.delete(last)
      yield* settle
      assert.deepStrictEqual(sent, ["category.deleted undefined"])
      assert.strictEqual((yield* storage.find(webhookTable, webhookId))?.route.after, 6)
      assert.isTrue((yield* verify).ok)
    })
  )
})
