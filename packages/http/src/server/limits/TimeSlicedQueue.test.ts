import { assert, describe, it } from "@effect/vitest"
import { type Line, TimeSlicedQueue } from "./TimeSlicedQueue.ts"

let lineCount = 0
/** No two lines are equal. */
const newLine = (isTrusted = false) => ({ tasks: [], isTrusted, number: lineCount++ })

/** Slices whose clock and event loop a test moves on. */
const slices = () => {
  let time = 0
  let accepted = 0
  let busy = false
  let turns: Array<() => void> = []
  const ran: Array<number> = []
  const arrivals: Array<object | undefined> = []
  const lines: Array<Line> = []
  const lone = newLine()
  const own = new TimeSlicedQueue(
    () => accepted,
    () => busy,
    () => time,
    (turn) => turns.push(turn)
  )
  return {
    ran,
    /** The arrival of each task that ran. */
    arrivals,
    /** The line of each task that ran. */
    lines,
    arrival: () => own.arrival,
    size: () => own.size,
    /** Tasks that take a number of milliseconds each. */
    ask: (count: number, millis: number, line: Line = lone) => {
      for (let i = 0; i < count; i++) {
        own.run(() => {
          ran.push(ran.length)
          lines.push(line)
          arrivals.push(own.arrival)
          time += millis
        }, line)
      }
    },
    turn: (millis = 0) => {
      time += millis
      const due = turns
      turns = []
      for (const turn of due) turn()
    },
    accept: () => {
      accepted++
    },
    setBusy: (value: boolean) => {
      busy = value
    },
    scheduled: () => turns.length,
    queue: own
  }
}

describe("a time-sliced queue", () => {
  it("given tasks that fit into a slice, then they run at once, and nothing is left in the event loop", () => {
    const { ask, ran, scheduled, turn } = slices()
    ask(4, 1)
    assert.strictEqual(ran.length, 4)
    turn()
    assert.strictEqual(scheduled(), 0)
  })

  it("given more tasks than fit into a slice, then the others run in the next turns, in their order", () => {
    const { ask, ran, scheduled, size, turn } = slices()
    ask(12, 1)
    assert.deepStrictEqual([ran.length, size()], [5, 7])
    turn()
    assert.deepStrictEqual([ran.length, size()], [10, 2])
    ask(1, 1)
    assert.strictEqual(ran.length, 10)
    turn()
    assert.deepStrictEqual([ran.length, size()], [13, 0])
    turn()
    assert.strictEqual(scheduled(), 0)
  })

  it("given connections in every turn, then the next slice waits for them, but not forever", () => {
    const { accept, ask, ran, turn } = slices()
    ask(20, 1)
    for (let i = 0; i < 5; i++) {
      accept()
      turn(1)
      assert.strictEqual(ran.length, 5)
    }
    for (let i = 0; i < 10; i++) {
      accept()
      turn(1)
    }
    assert.isAbove(ran.length, 5)
  })

  it("given a turn without a connection, then the next slice starts", () => {
    const { accept, ask, ran, turn } = slices()
    ask(20, 1)
    accept()
    turn(1)
    assert.strictEqual(ran.length, 5)
    turn(1)
    assert.strictEqual(ran.length, 10)
  })

  it("given work in progress while connections come, then the next slice waits for both, but not forever", () => {
    const { accept, ask, ran, setBusy, turn } = slices()
    setBusy(true)
    ask(20, 1)
    for (let i = 0; i < 4; i++) {
      accept()
      turn(3)
    }
    assert.strictEqual(ran.length, 5)
    for (let i = 0; i < 2; i++) {
      accept()
      turn(5)
    }
    assert.isAbove(ran.length, 5)
  })

  it("given a line with many tasks, then those of other lines wait for one of them each", () => {
    const { ask, lines, turn } = slices()
    const [many, one, two] = [newLine(), newLine(), newLine()]
    ask(1, 5, many)
    ask(4, 1, many)
    ask(1, 1, one)
    ask(2, 1, two)
    turn()
    turn()
    assert.deepStrictEqual(lines, [many, many, one, two, many, two, many, many])
  })

  it("given many lines without valid credentials, then those with them get every other turn", () => {
    const { ask, lines, turn } = slices()
    const [caller, other] = [newLine(true), newLine(true)]
    ask(1, 5)
    for (let i = 0; i < 8; i++) ask(1, 1, newLine())
    ask(2, 1, caller)
    ask(1, 1, other)
    turn()
    turn()
    const trusted = lines.flatMap((line, index) => (line.isTrusted ? [[index, line]] : []))
    assert.deepStrictEqual(trusted, [
      [1, caller],
      [3, other],
      [5, caller]
    ])
  })

  it("given a task that adds two to its line, then the first of them runs in the same turn, before the other lines", () => {
    const { ask, lines, queue, turn } = slices()
    const [own, other] = [newLine(), newLine()]
    ask(1, 5)
    queue.run(() => ask(2, 5, own), own)
    ask(1, 5, other)
    for (let i = 0; i < 3; i++) turn()
    assert.deepStrictEqual(lines.slice(1), [own, other, own])
  })

  it("given a thousand tasks, then each runs once", () => {
    const { ask, ran, turn } = slices()
    ask(3_000, 0.5)
    for (let i = 0; i < 1_000; i++) turn()
    assert.strictEqual(ran.length, 3_000)
  })

  it("given tasks that wait at the same time, then they have the same arrival, and later ones another", () => {
    const { arrival, ask, arrivals, turn } = slices()
    assert.isUndefined(arrival())
    ask(8, 1)
    turn()
    // In the slice above, in that of this turn, and before the next one.
    ask(2, 1)
    turn()
    turn()
    assert.isUndefined(arrival())
    ask(1, 1)
    const places = arrivals.map((each) => arrivals.indexOf(each))
    assert.deepStrictEqual(places, [0, 0, 0, 0, 0, 5, 5, 5, 8, 8, 10])
  })
})
