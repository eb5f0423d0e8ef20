import type { Reporter, TestModule } from "vitest/node"

/** Ends a run with one plain line, `12 passed, 0 failed, 1 skipped`, for people and programs that read logs. */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state]++
      if (module.errors().length > 0) counts.failed++
    }
    const skipped = counts.skipped + counts.pending
    process.stdout.write(
      `\n${counts.passed} passed, ${counts.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`
    )
  }
}
