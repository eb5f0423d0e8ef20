import { assert, describe, it } from "@effect/vitest"
import { ResponseThrottle } from "./ResponseThrottle.ts"

/** A throttle with a clock for tests, and the responses that it has sent. */
const paced = () => {
  let time = 0
  const sent: Array<readonly [number, boolean]> = []
  const pace = new ResponseThrottle(() => time)
  let asked = 0
  return {
    pace,
    sent,
    ask: (count: number, bytes = 0, isFirst = false) => {
      for (let i = 0; i < count; i++) {
        const id = asked++
        pace.send(bytes, (last) => sent.push([id, last]), isFirst)
      }
    },
    wait: (millis: number) => {
      time += millis
      pace.sendDue()
    }
  }
}

describe("responses to clients without valid credentials", () => {
  it("given a few, then they are sent at once", () => {
    const { ask, pace, sent } = paced()
    ask(250)
    assert.deepStrictEqual([sent.length, pace.size], [250, 0])
  })

  it("given more, then the others follow in their order at a thousand a second", () => {
    const { ask, pace, sent, wait } = paced()
    ask(1_000)
    assert.deepStrictEqual([sent.length, pace.size], [250, 750])
    wait(20)
    assert.deepStrictEqual([sent.length, pace.size], [270, 730])
    ask(1)
    for (let i = 0; i < 20; i++) wait(50)
    assert.strictEqual(pace.size, 0)
    assert.deepStrictEqual(
      sent.map(([id]) => id),
      Array.from({ length: 1_001 }, (_, id) => id)
    )
  })

  it("given a server that stops, then all are sent, each as the last of its connection", () => {
    const { ask, pace, sent } = paced()
    ask(252)
    pace.sendAll()
    assert.deepStrictEqual(sent.slice(249), [
      [249, false],
      [250, true],
      [251, true]
    ])
    assert.strictEqual(pace.size, 0)
  })

  it("given large ones, then each counts as several", () => {
    const { ask, pace, sent, wait } = paced()
    ask(100, 4 * 32_768)
    assert.deepStrictEqual([sent.length, pace.size], [50, 50])
    wait(20)
    assert.deepStrictEqual([sent.length, pace.size], [54, 46])
  })

  it("given the first ones of their connections, then each counts as four", () => {
    const { ask, pace, sent, wait } = paced()
    ask(100, 0, true)
    assert.deepStrictEqual([sent.length, pace.size], [63, 37])
    wait(22)
    assert.deepStrictEqual([sent.length, pace.size], [68, 32])
  })
})
