import { join } from "node:path"
import { assert, describe, it } from "vitest"
import type { TestModule, Vitest } from "vitest/node"
import PrintingFiles from "./PrintingFiles.ts"

class Run extends PrintingFiles {
  reason: string | undefined
  protected override fail(reason: string): void {
    this.reason = reason
  }
}

const file = { type: "module", moduleId: join(process.cwd(), "packages/core/src/a.test.ts") } as TestModule
const state = { getReportedEntityById: (id: string) => (id === "a" ? file : undefined) } as Vitest["state"]

const runWith = (...printing: ReadonlyArray<string>): string | undefined => {
  const run = new Run()
  run.onInit({ state })
  for (const taskId of printing) run.onUserConsoleLog({ taskId })
  run.onTestRunEnd()
  return run.reason
}

describe("given a run of tests", () => {
  it("when none prints, then it does not fail", () => {
    assert.isUndefined(runWith())
  })

  it("when one prints, then it fails, and names each file once", () => {
    assert.strictEqual(runWith("a", "a"), `Tests print, so the run fails: ${join("packages/core/src/a.test.ts")}`)
  })

  it("when the test clock warns of a test that takes long, then it does not fail", () => {
    const run = new Run()
    run.onInit({ state })
    const content =
      "WARN: A test is using time, but is not advancing the test clock, which may result in the test hanging."
    run.onUserConsoleLog({ taskId: "a", content })
    run.onTestRunEnd()
    assert.isUndefined(run.reason)
  })

  it("when a module prints while it is loaded for no test, then it fails too", () => {
    assert.include(runWith("b"), "outside of a test")
  })
})
