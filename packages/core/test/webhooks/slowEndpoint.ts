import { assert, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { formatTimestamp } from "../../src/domain/Timestamp.ts"
import type { Delivery } from "../../src/domain/webhooks/Delivery.ts"
import { memory } from "../../src/memory/MemoryStorage.ts"
import type { WebhookRequest } from "../../src/ports/WebhookSender.ts"
import { tailPage } from "../../src/programs/events/EventTail.ts"
import { deliveries, dueDeliveries, leasedDeliveries, newDeliveries } from "../../src/tables/index.ts"
import { withRows } from "../support/withRows.ts"
import { noticed } from "../support/writes.ts"
import { delivered, failed, open, url, verified } from "./sending.ts"

const subjects = 100
const concurrency = 20

/** Milliseconds that the receiver takes for each request. */
const responseTime = 2

type Opened = Effect.Success<ReturnType<typeof open>>

/** A store that notes the most rows that are read or added at a time. */
const measured = () => {
  const most = { due: 0, added: 0, leased: 0 }
  const adapter = withRows(memory(), ({ run, select }) => ({
    select: (query, argument, limit) =>
      Effect.map(select(query, argument, limit), (rows) => {
        if (query.name === dueDeliveries.name) most.due = Math.max(most.due, rows.length)
        return rows
      }),
    run: (begin, command) =>
      run(
        (tx, context) =>
          noticed(tx, begin(tx, context), (writes) => {
            for (const one of writes) {
              if ("log" in one && one.log === newDeliveries.name) most.added = Math.max(most.added, one.rows.length)
            }
          }),
        command
      )
  }))
  return { adapter, most }
}

const immediate = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Lets time pass until something is so, and notes how many deliveries are claimed at a time. */
const until = (
  { storage }: Opened,
  most: ReturnType<typeof measured>["most"],
  running: ReadonlySet<string>,
  isSo: () => boolean
) =>
  Effect.gen(function* () {
    for (let step = 0; step < 20_000 && !isSo(); step++) {
      yield* immediate
      // Most of the time is that until the next attempt of those that failed.
      yield* TestClock.adjust(running.size === 0 ? 10 * responseTime : responseTime)
      const now = formatTimestamp(yield* Clock.currentTimeMillis)
      most.leased = Math.max(
        most.leased,
        yield* storage.count(leasedDeliveries, { webhookId: 1, after: now }, 2 * concurrency)
      )
    }
    assert.isTrue(isSo())
    yield* immediate
    yield* TestClock.adjust(responseTime)
  })

const allDeliveries = ({ storage }: Opened) =>
  Effect.gen(function* () {
    const found: Array<Delivery> = []
    for (;;) {
      const page = yield* storage.scan(deliveries, [found.at(-1)?.id ?? 0], 1_000)
      if (page.length === 0) return found
      for (const { delivery } of page) found.push(delivery)
    }
  })

/** That so many events, a multiple of a thousand, reach an endpoint that responds slowly, and fails now and then. */
export const slowEndpointTest = (ordered: boolean, events: number): void =>
  it.effect(
    `when ${events.toLocaleString("en")} events are committed, then each is delivered by one delivery, ${ordered ? "in the order of its subject, " : ""}and few are claimed at a time`,
    () =>
      Effect.gen(function* () {
        // The commits below take real time, about which a clock that was never moved warns.
        yield* TestClock.adjust(0)
        const ended: Array<string> = []
        const sent: Array<string> = []
        const running = new Set<string>()
        const requests = { doubles: 0, most: 0 }
        const send = ({ body, id }: WebhookRequest) =>
          Effect.gen(function* () {
            const count = sent.push(id)
            if (running.has(id)) requests.doubles++
            requests.most = Math.max(requests.most, running.add(id).size)
            yield* Effect.sleep(responseTime)
            running.delete(id)
            if (count % (events / 10) === 0) return failed
            ended.push(body)
            return delivered
          })
        const sender = { send, urlProblem: () => undefined }
        const { adapter, most } = measured()
        const petstore = yield* open(sender, adapter)
        yield* petstore.webhooks.create({
          url,
          types: ["category.created", "category.updated"],
          ordered,
          concurrency
        })
        for (let number = 1; number <= subjects; number++) yield* petstore.categories.create({ name: `C${number}` })
        for (let change = 1; change < events / subjects; change++) {
          for (let id = 1; id <= subjects; id++) {
            yield* petstore.categories.update(id, { description: String(change) })
          }
        }
        assert.isAtMost(sent.length, concurrency, "no more are sent while time stands still, and commits did not wait")

        yield* until(petstore, most, running, () => ended.length >= events / 2)
        const halfway = yield* allDeliveries(petstore)
        assert.strictEqual(halfway.length, events)
        assert.isAbove(halfway.filter(({ status }) => status === "pending").length, events / 3)
        yield* verified(petstore)

        yield* until(petstore, most, running, () => ended.length >= events)
        const all = yield* allDeliveries(petstore)
        assert.deepStrictEqual(
          all.map(({ seq }) => seq),
          Array.from({ length: events }, (_, index) => index + 2)
        )
        assert.deepStrictEqual(new Set(all.map(({ status }) => status)), new Set(["delivered"]))
        assert.strictEqual(sent.length, events + 10, "none twice, but for the ten that had failed")
        assert.strictEqual(new Set(sent).size, events)
        yield* verified(petstore)

        assert.deepStrictEqual([requests.doubles, requests.most], [0, concurrency])
        assert.strictEqual(most.leased, concurrency)
        assert.isAtMost(most.due, concurrency)
        assert.isAtMost(most.added, tailPage)

        if (!ordered) return
        const changes = new Map<string, Array<number>>()
        for (const body of ended) {
          const { data, subject } = JSON.parse(body)
          changes.set(subject, [...(changes.get(subject) ?? []), Number(data.description ?? 0)])
        }
        const inOrder = Array.from({ length: events / subjects }, (_, index) => index)
        assert.strictEqual(changes.size, subjects)
        for (const seen of changes.values()) assert.deepStrictEqual(seen, inOrder)
        // A turn of a thousand events takes a slow machine more than the second after which the clock warns.
      }).pipe(Effect.provide(TestClock.layer({ warningDelay: "1 minute" })))
  )
