import { relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"

/** Milliseconds that a file may take for a test. One takes minutes on a slow machine. */
const patience = 5 * 60_000
const interval = 10_000

/**
 * Fails the run when a file does not go on. A timeout of a test cannot fire in a worker whose event loop is blocked, for example by
 * a loop that repeats a failing call at once.
 */
export default class StuckFiles implements Reporter {
  private readonly running = new Map<string, number>()
  private timer: NodeJS.Timeout | undefined

  onTestRunStart(): void {
    this.timer = setInterval(() => this.check(Date.now()), interval)
    this.timer.unref()
  }

  onTestModuleStart({ moduleId }: Pick<TestModule, "moduleId">): void {
    this.running.set(moduleId, Date.now())
  }

  onTestCaseResult({ module }: { readonly module: Pick<TestModule, "moduleId"> }): void {
    this.running.set(module.moduleId, Date.now())
  }

  onTestModuleEnd({ moduleId }: Pick<TestModule, "moduleId">): void {
    this.running.delete(moduleId)
  }

  onTestRunEnd(): void {
    clearInterval(this.timer)
  }

  check(now: number): void {
    const stuck = [...this.running].filter(([, since]) => now - since > patience).map(([file]) => relative("", file))
    if (stuck.length === 0) return
    process.stderr.write(
      `\nThese files have run for 5 minutes since the last result of a test, so the run ends: ${stuck.join(", ")}\n`
    )
    this.fail()
  }

  protected fail(): void {
    process.exit(1)
  }
}
