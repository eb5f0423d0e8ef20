import { EventEmitter } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { Screen } from "./Screen.ts"

class FakeTerminal extends EventEmitter {
  columns = 20
  rows = 3
  isTTY = true
  written = ""
  isRaw = false
  isReading = false

  write(text: string): void {
    this.written += text
  }
  setRawMode(mode: boolean): void {
    this.isRaw = mode
  }
  resume(): void {
    this.isReading = true
  }
  pause(): void {
    this.isReading = false
  }
  taken(): string {
    const { written } = this
    this.written = ""
    return written
  }
}

const opened = () => {
  const terminal = new FakeTerminal()
  let quits = 0
  const screen = new Screen(terminal, terminal, () => quits++)
  return { screen, terminal, quits: () => quits }
}

describe("a screen", () => {
  it("given a terminal, when it opens and closes, then the terminal is as it was before", () => {
    const { screen, terminal } = opened()
    assert.deepStrictEqual([terminal.taken(), terminal.isRaw, terminal.isReading], ["\x1b[?1049h\x1b[?25l", true, true])
    screen.close()
    screen.close()
    assert.deepStrictEqual(
      [terminal.taken(), terminal.isRaw, terminal.isReading],
      ["\x1b[?25h\x1b[?1049l", false, false]
    )
    assert.deepStrictEqual(terminal.eventNames(), [])
  })

  it("given more lines than rows, when it shows them, then it leaves out the last ones and erases what was there", () => {
    const { screen, terminal } = opened()
    terminal.taken()
    screen.show((width) => ["x".repeat(width), "two", "three", "four"])
    assert.strictEqual(terminal.taken(), `\x1b[H${"x".repeat(19)}\x1b[K\r\ntwo\x1b[K\r\nthree\x1b[K\x1b[J`)
  })

  it("given another size, when the terminal reports it, then the lines are drawn again for it", () => {
    const { screen, terminal } = opened()
    screen.show((width) => ["x".repeat(width)])
    terminal.taken()
    terminal.columns = 8
    terminal.emit("resize")
    assert.strictEqual(terminal.taken(), `\x1b[H${"x".repeat(7)}\x1b[K\x1b[J`)
    screen.close()
    terminal.taken()
    terminal.emit("resize")
    assert.strictEqual(terminal.taken(), "")
  })

  for (const [keys, count] of [
    ["q", 1],
    ["Q", 1],
    ["\x03", 1],
    ["x", 0],
    ["\x1b[A", 0]
  ] as const) {
    it(`given the keys ${JSON.stringify(keys)}, then it ${count === 1 ? "quits" : "goes on"}`, () => {
      const { quits, terminal } = opened()
      terminal.emit("data", new TextEncoder().encode(keys))
      assert.strictEqual(quits(), count)
    })
  }
})
