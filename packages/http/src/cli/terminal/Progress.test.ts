import { assert, describe, it } from "@effect/vitest"
import { Progress } from "./Progress.ts"
import { coloured, type Style } from "./text.ts"

const watched = (isTTY: boolean, columns = 80, style?: Style) => {
  const written: Array<string> = []
  const clock = { now: 0 }
  const progress = new Progress(
    { isTTY, columns, write: (text) => written.push(text) },
    { now: () => clock.now, ...(style === undefined ? {} : { style }) }
  )
  const at = (now: number, imported: number, share: number) => {
    clock.now = now
    progress.show(`${imported} ${imported === 1 ? "row" : "rows"} imported, 0 rejected`, share)
  }
  return { at, progress, written }
}

const bar = (done: number, width = 40) => "█".repeat(done) + "░".repeat(width - done)

describe("progress", () => {
  it("given a terminal of an unknown size, then the line is that of 80 columns", () => {
    const [unknown, usual] = [watched(true, 0), watched(true)]
    for (const { at } of [unknown, usual]) at(0, 1, 0.1)
    assert.deepStrictEqual(unknown.written, usual.written)
  })

  it("given no terminal, then nothing is written", () => {
    const { at, progress, written } = watched(false)
    at(0, 1, 0.1)
    progress.clear()
    assert.deepStrictEqual(written, [])
  })

  it("given a terminal, then one line is written over and over, at most ten times a second, and cleared in the end", () => {
    const { at, progress, written } = watched(true)
    at(0, 1, 0.129)
    at(99, 2, 0.2)
    at(100, 3, 1)
    progress.clear()
    progress.clear()
    assert.deepStrictEqual(written, [
      `\r\x1b[K${bar(5)}  12 %  1 row imported, 0 rejected`,
      `\r\x1b[K${bar(40)} 100 %  3 rows imported, 0 rejected`,
      "\r\x1b[K"
    ])
  })

  it("given a second of progress, then the time that is left is shown", () => {
    const { at, written } = watched(true, 200)
    at(0, 1, 0.001)
    at(1_000, 2, 0.1)
    at(20_000, 3, 0.1)
    assert.include(written[1], "2 rows imported, 0 rejected, 9 s left")
    assert.include(written[2], "3 rows imported, 0 rejected, 3 min 0 s left")
  })

  it("given work that begins anew, then the time that is left is that of the new work, once it is known", () => {
    const { at, written } = watched(true, 200)
    at(0, 1, 0)
    at(2_000, 2, 0.9)
    at(60_000, 3, 0)
    at(62_000, 4, 0)
    at(64_000, 5, 0.5)
    assert.notInclude(written[2], "left")
    assert.notInclude(written[3], "left")
    assert.include(written[4], "4 s left")
  })

  it("given a step that may block the process, then the line is written even if there was one just before", () => {
    const { progress, written } = watched(true)
    progress.show("0 of 2 indexes built", 0, true)
    progress.show("1 of 2 indexes built", 0.5, true)
    assert.include(written[1], " 50 %  1 of 2 indexes built")
  })

  it("given any width, then the line fits into the terminal, if need be without a bar", () => {
    for (let columns = 50; columns < 120; columns++) {
      const { at, written } = watched(true, columns)
      at(0, 1, 0.001)
      at(60_000, 123_456, 0.5)
      for (const line of written) assert.isBelow(line.replace("\r\x1b[K", "").length, columns)
    }
    const { at, written } = watched(true, 40)
    at(0, 1, 0.5)
    assert.deepStrictEqual(written, ["\r\x1b[K 50 %  1 row imported, 0 rejected"])
  })

  it("given colours, then the bar has them", () => {
    const { at, written } = watched(true, 80, coloured)
    at(0, 1, 0.5)
    assert.include(written[0], `\x1b[32m${"█".repeat(20)}\x1b[39m`)
  })

  it("given nothing shown, then nothing is cleared", () => {
    const { progress, written } = watched(true)
    progress.clear()
    assert.deepStrictEqual(written, [])
  })
})
