import { assert, describe, it } from "@effect/vitest"
import { anEvent } from "@petstore/testing"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { StorageError } from "../ports/StorageError.ts"
import type { EventRecord } from "./eventTable.ts"
import { SharedScan } from "./SharedScan.ts"

const event = (seq: number): EventRecord =>
  anEvent({ type: "pet.deleted", subject: `pets/${seq}`, data: { id: seq } }, seq)

/** The events after a position. */
const page = (after: number, count: number) => Array.from({ length: count }, (_, index) => event(after + index + 1))

/** A log whose reads end when the test says so. */
const slowLog = () => {
  const reads: Array<{
    readonly after: number
    readonly end: Deferred.Deferred<ReadonlyArray<EventRecord>, StorageError>
  }> = []
  const { scan } = new SharedScan({
    scan: (after) =>
      Effect.suspend(() => {
        const end = Deferred.makeUnsafe<ReadonlyArray<EventRecord>, StorageError>()
        reads.push({ after, end })
        return Deferred.await(end)
      })
  })
  const begin = (after: number) => Effect.forkChild(scan(after, 10), { startImmediately: true })
  const end = (index: number, count: number) =>
    Effect.suspend(() => {
      const read = reads[index] ?? assert.fail(`There is no read ${index}`)
      return Deferred.succeed(read.end, page(read.after, count))
    })
  const seqs = (fiber: Fiber.Fiber<ReadonlyArray<EventRecord>, StorageError>) =>
    Effect.map(Fiber.join(fiber), (events) => events.map(({ seq }) => seq))
  return { begin, end, reads, seqs }
}

describe("given followers that have fallen behind", () => {
  it.effect("when a page of one is being read, then others wait for it, and take what they lack", () =>
    Effect.gen(function* () {
      const { begin, end, reads, seqs } = slowLog()
      const [one, other] = [yield* begin(0), yield* begin(7)]
      yield* end(0, 10)
      assert.deepStrictEqual([(yield* seqs(one)).length, yield* seqs(other)], [10, [8, 9, 10]])
      assert.deepStrictEqual(yield* seqs(yield* begin(9)), [10])
      assert.strictEqual(reads.length, 1)
    })
  )

  it.effect("when the page is not full, then it may lack what was committed since, and each reads its own", () =>
    Effect.gen(function* () {
      const { begin, end, reads, seqs } = slowLog()
      const [one, other] = [yield* begin(0), yield* begin(0)]
      yield* end(0, 3)
      assert.strictEqual((yield* seqs(one)).length, 3)
      yield* Effect.yieldNow
      yield* end(1, 4)
      assert.strictEqual((yield* seqs(other)).length, 4)
      assert.strictEqual(reads.length, 2)
    })
  )

  it.effect("when the one that reads is interrupted, then one that waits for it reads by itself", () =>
    Effect.gen(function* () {
      const { begin, end, seqs } = slowLog()
      const [one, other] = [yield* begin(0), yield* begin(5)]
      yield* Fiber.interrupt(one)
      yield* Effect.yieldNow
      yield* end(1, 10)
      assert.strictEqual((yield* seqs(other))[0], 6)
    })
  )

  it.effect("when they are at other places, then nobody waits", () =>
    Effect.gen(function* () {
      const { begin, end, seqs } = slowLog()
      const [one, other] = [yield* begin(0), yield* begin(10)]
      yield* end(1, 10)
      assert.strictEqual((yield* seqs(other))[0], 11)
      yield* end(0, 10)
      assert.strictEqual((yield* seqs(one))[0], 1)
    })
  )
})
