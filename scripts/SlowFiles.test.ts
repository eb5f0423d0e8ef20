import { assert, describe, it } from "@effect/vitest"
import { slowLines, type TimedFile } from "./SlowFiles.ts"

const file = (name: string, tests: number, project = "unit"): TimedFile => ({ file: name, project, tests, imports: 1 })

describe("given a run of tests that took a while", () => {
  it("then its slowest files are listed, slowest first, and what each project took", () => {
    const many = Array.from({ length: 20 }, (_, index) => file(`${index}.test.ts`, 2))
    const lines = slowLines([...many, file("b.int.test.ts", 30, "integration"), file("a.test.ts", 40)], 61.4)
    assert.deepStrictEqual(lines.slice(0, 4), [
      "Slowest files:",
      "   41 s  a.test.ts",
      "   31 s  b.int.test.ts",
      "    3 s  0.test.ts"
    ])
    assert.deepStrictEqual(lines.slice(-4), [
      "Files together, while several run at once:",
      "   31 s  integration: 1 files, 1 s of it before their first test",
      "  101 s  unit: 21 files, 21 s of it before their first test",
      "   61 s  from the first to the last"
    ])
    assert.strictEqual(lines.length, 1 + 12 + 4)
  })
})

describe("given a short run", () => {
  it("then nothing is listed", () => {
    assert.deepStrictEqual(slowLines([file("a.test.ts", 20)], 21), [])
  })
})
