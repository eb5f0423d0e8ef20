import { appendFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { type Finding, readFindings, summaryOf } from "./matrix.ts"

const findings: ReadonlyArray<Finding> = [
  { fault: "a.ts:1 < becomes <=", seenBy: ["orders", "model"] },
  { fault: "a.ts:2 && becomes ||", seenBy: ["orders"] },
  { fault: "b.ts:7 true becomes false", seenBy: [] }
]

describe("given what several runs have found", () => {
  it("then it adds up who sees what, who alone, and what nobody sees", () => {
    assert.deepStrictEqual(summaryOf(findings), [
      "orders: sees 2, alone 1",
      "model: sees 1, alone 0",
      "Of 3 faults nobody sees 1",
      "  b.ts:7 true becomes false"
    ])
  })

  it("when the last run was ended while it wrote, then the file has what came before", () => {
    const folder = mkdtempSync(join(tmpdir(), "petstore-matrix-"))
    try {
      const file = join(folder, "matrix.jsonl")
      assert.deepStrictEqual(readFindings(file), [])
      for (const finding of findings) appendFileSync(file, `\n${JSON.stringify(finding)}`)
      appendFileSync(file, '\n{"fault":"c.ts')
      assert.deepStrictEqual(readFindings(file), findings)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
