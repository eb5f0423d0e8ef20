import { assert, describe, it, vi } from "@effect/vitest"
import StuckFiles from "./StuckFiles.ts"

const minutes = (count: number): number => Date.now() + count * 60_000

class Run extends StuckFiles {
  hasFailed = false
  protected override fail(): void {
    this.hasFailed = true
  }
}

describe("given a run of tests with a file that has begun", () => {
  it("when it has run for less than 10 minutes, then the run goes on", () => {
    const run = new Run()
    run.onTestModuleStart({ moduleId: "/src/a.test.ts" })
    run.check(minutes(9))
    assert.isFalse(run.hasFailed)
  })

  it("when it has run for more, then the run fails", () => {
    const run = new Run()
    run.onTestModuleStart({ moduleId: "/src/a.test.ts" })
    run.check(minutes(11))
    assert.isTrue(run.hasFailed)
  })

  it("when one of its tests has ended since, then the run goes on for as long again", () => {
    const run = new Run()
    const module = { moduleId: "/src/a.test.ts" }
    run.onTestModuleStart(module)
    const end = vi.spyOn(Date, "now").mockReturnValue(minutes(8))
    run.onTestCaseResult({ module })
    end.mockRestore()
    run.check(minutes(17))
    assert.isFalse(run.hasFailed)
    run.check(minutes(19))
    assert.isTrue(run.hasFailed)
  })

  it("when its tests end one by one for half an hour, then the run fails", () => {
    const run = new Run()
    const module = { moduleId: "/src/a.test.ts" }
    run.onTestModuleStart(module)
    const end = vi.spyOn(Date, "now").mockReturnValue(minutes(29))
    run.onTestCaseResult({ module })
    end.mockRestore()
    run.check(minutes(29))
    assert.isFalse(run.hasFailed)
    run.check(minutes(31))
    assert.isTrue(run.hasFailed)
  })

  it("when it has ended, then the run goes on", () => {
    const run = new Run()
    run.onTestModuleStart({ moduleId: "/src/a.test.ts" })
    run.onTestModuleEnd({ moduleId: "/src/a.test.ts" })
    run.check(minutes(40))
    assert.isFalse(run.hasFailed)
  })
})
