import { assert, describe, it } from "@effect/vitest"
import type { Event } from "../../domain/events/Event.ts"
import { AppearedEvents } from "./AppearedEvents.ts"

const events = (first: number, last: number): ReadonlyArray<Event> =>
  Array.from({ length: last - first + 1 }, (_, index) => ({
    seq: first + index,
    id: `evt_${first + index}`,
    timestamp: "2026-11-22T00:00:00.000Z",
    type: "pet.deleted",
    subject: `pets/${first + index}`,
    data: { id: first + index }
  }))

const seqs = (page: ReadonlyArray<Event> | undefined) => page?.map(({ seq }) => seq)

describe("given events that were passed with their commits", () => {
  it("when they follow each other, then they are taken page by page, each once", () => {
    const appeared = new AppearedEvents()
    appeared.add(events(4, 5))
    appeared.add([])
    appeared.add(events(6, 8))
    assert.deepStrictEqual([seqs(appeared.after(3, 3)), appeared.hasSome], [[4, 5, 6], true])
    appeared.add(events(9, 9))
    assert.deepStrictEqual([seqs(appeared.after(6, 3)), appeared.hasSome], [[7, 8, 9], false])
    assert.deepStrictEqual(seqs(appeared.after(9, 3)), [])
  })

  it("when some were read from the log already, then they are not taken again", () => {
    const appeared = new AppearedEvents()
    appeared.add(events(1, 4))
    assert.deepStrictEqual(seqs(appeared.after(2, 9)), [3, 4])
    appeared.add(events(5, 6))
    assert.deepStrictEqual(seqs(appeared.after(8, 9)), [])
  })

  it("when another process has committed between them, then the log must be read until that is done", () => {
    const appeared = new AppearedEvents()
    appeared.add(events(1, 2))
    appeared.add(events(4, 5))
    assert.isUndefined(appeared.after(0, 9))
    appeared.clear()
    appeared.add(events(6, 6))
    assert.deepStrictEqual(seqs(appeared.after(5, 9)), [6])
  })

  it("when a commit passes none although it may have added some, then the log must be read until that is done", () => {
    const appeared = new AppearedEvents()
    appeared.add(events(1, 2))
    appeared.add(undefined)
    appeared.add(events(3, 4))
    assert.deepStrictEqual([appeared.after(0, 9), appeared.mustRead], [undefined, true])
    appeared.clear()
    assert.isFalse(appeared.mustRead)
    appeared.add(events(5, 5))
    assert.deepStrictEqual(seqs(appeared.after(4, 9)), [5])
  })

  it("when some are taken, then as many more are kept", () => {
    const appeared = new AppearedEvents()
    appeared.add(events(1, 8_000))
    assert.lengthOf(appeared.after(0, 4_000) ?? [], 4_000)
    appeared.add(events(8_001, 12_000))
    assert.deepStrictEqual(seqs(appeared.after(4_000, 1)), [4_001])
  })

  it("when more appear than are kept, then the log must be read", () => {
    const appeared = new AppearedEvents()
    appeared.add(events(1, 8_000))
    appeared.add(events(8_001, 8_193))
    assert.isUndefined(appeared.after(0, 256))
  })
})
