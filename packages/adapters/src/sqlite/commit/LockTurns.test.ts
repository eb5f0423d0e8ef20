import { assert, describe, it } from "vitest"
import { retrySoon } from "../connection/busyRetry.ts"
import { LockTurns } from "./LockTurns.ts"

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Resolves when it is the turn of this process. */
const turnOf = (turns: LockTurns, isNext = false) => new Promise<void>((resolve) => turns.take(resolve, isNext))

/** How often it is the turn of a process within so many milliseconds, if another one holds the lock. */
const attemptsWithin = async (turns: LockTurns, milliseconds: number): Promise<number> => {
  let attempts = 0
  for (const end = performance.now() + milliseconds; performance.now() < end; attempts++) {
    await turnOf(turns)
    turns.refused()
  }
  return attempts
}

describe("given another process that holds the lock", () => {
  it("then attempts follow each other so fast that they see it released and taken again", async () => {
    const turns = new LockTurns()
    turns.refused()
    // Some 500, or 50 with a timer.
    assert.isAbove(await attemptsWithin(turns, 100), 80)
  })

  it("then they become rare while it is held for long", async () => {
    const start = performance.now()
    await new Promise<void>((resolve) => retrySoon(2_000, resolve))
    assert.isAtLeast(performance.now() - start, 3)
  })

  it("then other work of the event loop runs between two attempts", async () => {
    const turns = new LockTurns()
    turns.refused()
    let work = 0
    let running = true
    const other = (): void => {
      work++
      if (running) setImmediate(other)
    }
    setImmediate(other)
    const attempts = await attemptsWithin(turns, 20)
    running = false
    assert.isAtLeast(work, attempts - 1)
  })

  it("then the wait begins with the first refusal, and again after its end", () => {
    const turns = new LockTurns()
    assert.deepStrictEqual([turns.refused(), turns.refused()], [true, false])
    turns.endWait()
    assert.isTrue(turns.refused())
  })
})

describe("given a process that releases the lock", () => {
  const waitAfterRelease = async (turns: LockTurns): Promise<number> => {
    turns.released()
    const start = performance.now()
    await turnOf(turns)
    return performance.now() - start
  }

  it("when others write, then it leaves the lock free for long enough that one of them takes it", async () => {
    const turns = new LockTurns()
    turns.refused()
    turns.endWait()
    for (let n = 0; n < 10; n++) assert.isAtLeast(await waitAfterRelease(turns), 0.29)
  })

  it("when nobody else has written for a while, then it takes the lock again at once", async () => {
    const turns = new LockTurns()
    turns.refused()
    turns.endWait()
    await sleep(120)
    const waits: Array<number> = []
    for (let n = 0; n < 50; n++) waits.push(await waitAfterRelease(turns))
    assert.isBelow(Math.min(...waits), 0.2)
  })
})
