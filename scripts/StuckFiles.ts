import { relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"

/** Milliseconds without the end of a test in a file: the longest one takes minutes on a slow machine. */
const patience = 10 * 60_000
/** Milliseconds of a file in all: tests that all hang end one by one, by their own limits. */
const longest = 30 * 60_000
const interval = 10_000

/**
 * Fails the run when a file makes no progress. A timeout of a test cannot fire in a worker whose event loop is blocked, for example by
 * a loop that repeats a failing call at once.
 */
export default class StuckFiles implements Reporter {
  private readonly started = new Map<string, number>()
  /** When the last test of a file ended, or the file began. */
  private readonly progress = new Map<string, number>()
  private timer: NodeJS.Timeout | undefined

  onTestRunStart(): void {
    this.timer = setInterval(() => this.check(Date.now()), interval)
    this.timer.unref()
  }

  onTestModuleStart({ moduleId }: Pick<TestModule, "moduleId">): void {
    this.started.set(moduleId, Date.now())
    this.progress.set(moduleId, Date.now())
  }

  onTestCaseResult({ module }: { readonly module: Pick<TestModule, "moduleId"> }): void {
    this.progress.set(module.moduleId, Date.now())
  }

  onTestModuleEnd({ moduleId }: Pick<TestModule, "moduleId">): void {
    this.started.delete(moduleId)
    this.progress.delete(moduleId)
  }

  onTestRunEnd(): void {
    clearInterval(this.timer)
  }

  check(now: number): void {
    const isStuck = (file: string, since: number): boolean =>
      now - since > longest || now - (this.progress.get(file) ?? since) > patience
    const stuck = [...this.started].filter(([file, since]) => isStuck(file, since)).map(([file]) => relative("", file))
    if (stuck.length === 0) return
    this.fail(
      `In these files no test has ended for 10 minutes, or they run for 30, so the run ends: ${stuck.join(", ")}`
    )
  }

  protected fail(reason: string): void {
    process.stderr.write(`\n${reason}\n`)
    process.exit(1)
  }
}
