import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { EventStream } from "./EventStream.ts"

const event = (seq: number, size = 0): Event => ({
  seq,
  id: `evt_${seq}${"x".repeat(size)}`,
  timestamp: "2026-11-22T00:00:00.000Z",
  type: "pet.deleted",
  subject: `pets/${seq}`,
  data: { id: seq }
})

/** A stream whose client takes nothing until the test says so. */
const stream = (size = 0) => {
  const log: Array<Event> = []
  const state = { position: 0, pending: 0, text: "", ended: "", queue: [] as ReadonlyArray<Event>, released: 0 }
  let notify = (): void => {}
  let drained = (): void => {}
  const opened = new EventStream(
    {
      start: 0,
      isClosed: false,
      mustRead: false,
      get position() {
        return state.position
      },
      take: () => {
        const page = state.queue
        state.queue = []
        return page
      },
      onMore: (next) => {
        notify = next
      },
      rewind: (after) => {
        state.queue = log.filter(({ seq }) => seq > after)
      },
      read: Effect.succeed([]),
      next: Effect.never
    },
    () => {},
    () => state.released++,
    (work) => work()
  )
  opened.open({
    write: (bytes) => {
      state.text += new TextDecoder().decode(bytes)
      state.pending += bytes.length
    },
    pending: () => state.pending,
    onDrain: (next) => {
      drained = next
    },
    end: () => {
      state.ended = "end"
    },
    cut: () => {
      state.ended = "cut"
    }
  })
  return {
    state,
    tend: (now: number) => opened.tend(now, 15_000, 30_000),
    end: opened.end,
    commit: (...seqs: ReadonlyArray<number>) => {
      const events = seqs.map((seq) => event(seq, size))
      log.push(...events)
      state.queue = [...state.queue, ...events]
      state.position = seqs.at(-1) ?? state.position
      notify()
    },
    drain: () => {
      state.pending = 0
      drained()
    }
  }
}

describe("given a stream of events", () => {
  it("when middleware drops what shows that its client has read, then it goes on at the next look", () => {
    const { commit, state, tend } = stream()
    for (let seq = 1; seq <= 1_000; seq++) commit(seq)
    while (state.queue.length > 0) {
      const left = state.queue.length
      state.pending = 0
      tend(1_000)
      assert.isBelow(state.queue.length, left)
    }
    assert.include(state.text, "id: 1000\n")
  })

  it("when its client reads nothing, then nothing more is taken for it, and it is cut after the timeout", () => {
    const { commit, state, tend } = stream()
    for (let seq = 1; seq <= 1_000; seq++) commit(seq)
    assert.isBelow(state.text.length, 33_500)
    assert.isAbove(state.queue.length, 500)
    for (const now of [1_000, 20_000, 30_999]) tend(now)
    assert.strictEqual(state.ended, "")
    tend(31_000)
    assert.deepStrictEqual([state.ended, state.released], ["cut", 1])
  })

  it("when its client reads again, then it is sent the rest", () => {
    const { commit, drain, state, tend } = stream()
    for (let seq = 1; seq <= 400; seq++) commit(seq)
    tend(1_000)
    drain()
    tend(60_000)
    assert.strictEqual(state.ended, "")
    assert.deepStrictEqual(
      [...state.text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq)),
      Array.from({ length: 400 }, (_, index) => index + 1)
    )
  })

  it("when a page is long, then its client is sent a part at a time, each event once", () => {
    const { commit, drain, state } = stream(10_000)
    const all = Array.from({ length: 100 }, (_, index) => index + 1)
    commit(...all)
    while (state.pending > 0) {
      assert.isBelow(state.pending, 64 * 1_024 + 10_200)
      drain()
    }
    assert.deepStrictEqual(
      [...state.text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq)),
      all
    )
  })

  it("when its client reads slowly, then it is not cut", () => {
    const { commit, state, tend } = stream()
    for (let seq = 1; seq <= 1_000; seq++) commit(seq)
    for (let now = 1_000; now < 200_000; now += 20_000) {
      tend(now)
      state.pending -= 10
    }
    assert.strictEqual(state.ended, "")
  })

  it("when nothing happens, then its client gets a heartbeat every 15 seconds", () => {
    const { drain, state, tend } = stream()
    drain()
    for (let now = 1_000; now <= 61_000; now += 1_000) {
      tend(now)
      drain()
    }
    assert.strictEqual(state.text, `retry: 1000\n\n${":\n\n".repeat(4)}`)
  })

  it("when events are not selected, then the position of its client moves", () => {
    const { state, tend } = stream()
    state.position = 41
    tend(1_000)
    tend(2_000)
    assert.strictEqual(state.text, "retry: 1000\n\nid: 41\n\n")
  })

  it("when it is ended twice, then its follower is released once", () => {
    const { end, state } = stream()
    end()
    end()
    assert.deepStrictEqual([state.ended, state.released], ["end", 1])
  })

  it("when a store has read a page outside of all work, as PostgreSQL does, then making its bytes counts to the caller", () => {
    let mustRead = true
    let isMeasured = false
    const reads: Array<() => void> = []
    const written: Array<boolean> = []
    const opened = new EventStream(
      {
        ...{ start: 0, position: 0, isClosed: false, read: Effect.succeed([event(1)]), next: Effect.never },
        get mustRead() {
          return mustRead
        },
        take: () => [],
        onMore: () => {},
        rewind: () => {}
      },
      (effect, then) => {
        reads.push(() => void Effect.runFork(effect).addObserver(then))
      },
      () => {},
      (work) => {
        isMeasured = true
        work()
        isMeasured = false
      }
    )
    opened.open({
      write: () => written.push(isMeasured),
      ...{ pending: () => 0, onDrain: () => {}, end: () => {}, cut: () => {} }
    })
    mustRead = false
    for (const read of reads) read()
    assert.deepStrictEqual(written, [false, true])
  })
})
