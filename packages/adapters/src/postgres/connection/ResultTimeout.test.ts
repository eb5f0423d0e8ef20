import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { ResultTimeout } from "./ResultTimeout.ts"

const harness = () => {
  const seen: Array<string> = []
  const timeout = new ResultTimeout(() => seen.push("late"))
  const begin = (name: string, limit: number) => timeout.begin(limit, ({ message }) => seen.push(`${name}: ${message}`))
  return { begin, seen }
}

const message = "The server did not answer in time"

describe("the time that results may take", () => {
  it("given a result that is late, all waits end, and then the connection is told once", async () => {
    const { begin, seen } = harness()
    begin("first", 5)
    begin("second", 60_000)
    await sleep(30)
    assert.deepStrictEqual(seen, [`first: ${message}`, `second: ${message}`, "late"])
  })

  it("given results in time, nothing happens", async () => {
    const { begin, seen } = harness()
    const [first, second] = [begin("first", 5), begin("second", 5)]
    second()
    first()
    first()
    await sleep(30)
    assert.deepStrictEqual(seen, [])
  })

  it("given a shorter limit after a longer one, it is the shorter one that counts", async () => {
    const { begin, seen } = harness()
    const arrived = begin("patient", 60_000)
    begin("hurried", 5)
    arrived()
    await sleep(30)
    assert.deepStrictEqual(seen, [`hurried: ${message}`, "late"])
  })

  it("given a limit that begins after another one has passed, it lasts as long as it says", async () => {
    const { begin, seen } = harness()
    begin("first", 5)()
    begin("second", 60_000)
    await sleep(30)
    assert.deepStrictEqual(seen, [])
  })
})
