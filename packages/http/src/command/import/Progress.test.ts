import { assert, describe, it } from "@effect/vitest"
import { noCounts } from "./importPets.ts"
import { Progress } from "./Progress.ts"

const watched = (isTTY: boolean) => {
  const written: Array<string> = []
  const clock = { now: 0 }
  const progress = new Progress({ isTTY, write: (text) => written.push(text) }, () => clock.now)
  const at = (now: number, imported: number, share?: number) => {
    clock.now = now
    progress.show({ ...noCounts, imported }, share)
  }
  return { at, progress, written }
}

describe("progress", () => {
  it("given no terminal, then nothing is written", () => {
    const { at, progress, written } = watched(false)
    at(0, 1)
    progress.clear()
    assert.deepStrictEqual(written, [])
  })

  it("given a terminal, then one line is written over and over, at most ten times a second, and cleared in the end", () => {
    const { at, progress, written } = watched(true)
    at(0, 1, 0.129)
    at(99, 2, 0.2)
    at(100, 3, 1)
    progress.clear()
    assert.deepStrictEqual(written, [
      "\r\x1b[K12 %, 1 imported, 0 rejected",
      "\r\x1b[K100 %, 3 imported, 0 rejected",
      "\r\x1b[K"
    ])
  })

  it("given a file of unknown size, then no share is shown", () => {
    const { at, written } = watched(true)
    at(0, 1)
    assert.deepStrictEqual(written, ["\r\x1b[K1 imported, 0 rejected"])
  })

  it("given nothing shown, then nothing is cleared", () => {
    const { progress, written } = watched(true)
    progress.clear()
    assert.deepStrictEqual(written, [])
  })
})
