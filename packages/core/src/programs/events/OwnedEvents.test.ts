import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Event } from "../../domain/events/Event.ts"
import { OwnedEvents, ownerAlone } from "./OwnedEvents.ts"

const eventOf = (seq: number, order: number): Event => ({
  seq,
  id: `evt_${seq}`,
  timestamp: "2026-11-22T00:00:00.000Z",
  type: "order.cancelled",
  subject: `orders/${order}`,
  data: { id: order }
})

/** A log in which one order in a thousand is of Ann, and the others of Bob; `removed` are no longer kept. */
const logOf = (length: number, removed = 0) => {
  const log = Array.from({ length }, (_, index) => eventOf(index + 1, index + 1)).slice(removed)
  const counts = { read: 0, owners: 0 }
  const scan = (after: number, limit: number) =>
    Effect.sync(() => {
      const page = log.filter(({ seq }) => seq > after).slice(0, limit)
      counts.read += page.length
      return page
    })
  const find = (seqs: ReadonlyArray<number>) =>
    Effect.sync(() => {
      counts.read += seqs.length
      return log.filter(({ seq }) => seqs.includes(seq))
    })
  const owned = new OwnedEvents({ find, scan }, (page) =>
    Effect.sync(() => {
      counts.owners += page.length
      return new Map(page.map(({ seq, subject }) => [subject, seq % 1_000 === 0 ? "ann" : "bob"]))
    })
  )
  /** What an owner finds behind a position, and how many events and owners that has read. */
  const all = (owner: string, after: number) =>
    Effect.gen(function* () {
      Object.assign(counts, { read: 0, owners: 0 })
      const seqs: Array<number> = []
      let position = after
      while (true) {
        const part = yield* owned.after(owner, position)
        seqs.push(...part.events.map(({ seq }) => seq))
        position = part.last
        if (part.isEnd) return { seqs, ...counts }
      }
    })
  return { all, log }
}

describe("given a log with few events of an owner", () => {
  it.effect("when it was read once, then the owner finds their events by reading them, and the end of the log", () =>
    Effect.gen(function* () {
      const { all, log } = logOf(10_000)
      const thousands = Array.from({ length: 10 }, (_, index) => (index + 1) * 1_000)
      const first = yield* all("ann", 0)
      assert.deepStrictEqual([first.seqs, first.read], [thousands, 10_000])
      const rest = 10_000 % 256
      const again = yield* all("ann", 0)
      assert.deepStrictEqual([again.seqs, again.read, again.owners], [thousands, rest + 9, rest])
      // Another owner profits from it.
      assert.strictEqual((yield* all("bob", 9_000)).owners, rest)
      assert.deepStrictEqual((yield* all("ann", 4_500)).seqs, thousands.slice(4))
      assert.deepStrictEqual((yield* all("eve", 0)).read, rest)
      log.push(eventOf(10_001, 10_001), eventOf(10_002, 1_000))
      assert.strictEqual((yield* all("bob", 10_000)).seqs.length, 2)
    })
  )

  it.effect("when it begins within a block, or the first events are no longer kept, then none is missed", () =>
    Effect.gen(function* () {
      const { all } = logOf(3_000, 100)
      assert.deepStrictEqual((yield* all("ann", 100)).seqs, [1_000, 2_000, 3_000])
      assert.deepStrictEqual((yield* all("ann", 999)).seqs, [1_000, 2_000, 3_000])
      assert.deepStrictEqual((yield* all("ann", 1_000)).seqs, [2_000, 3_000])
      assert.deepStrictEqual((yield* all("ann", 3_000)).seqs, [])
      assert.deepStrictEqual((yield* all("ann", 9_000)).seqs, [])
    })
  )
})

it("only what shows nothing but orders of an owner is found by the owner", () => {
  const types = new Set(["order.placed"] as const)
  assert.strictEqual(ownerAlone({ owner: "ann" }), "ann")
  assert.strictEqual(ownerAlone({ owner: "ann", shownTypes: new Set(["pet.created"]), types }), "ann")
  assert.isUndefined(ownerAlone({ owner: "ann", shownTypes: new Set(["pet.created"]) }))
  assert.isUndefined(ownerAlone({ types }))
})
