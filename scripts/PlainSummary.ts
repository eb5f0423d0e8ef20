import type { Reporter, TestModule, Vitest } from "vitest/node"

/** The reason of a skip: a note, or in the titles, as in `"reading a device (skipped: there is none)"`. */
const reasonOf = (title: string, note: string | undefined): string | undefined =>
  note ?? /\(skipped: (.+?)\)(?: >|,|$)/.exec(title)?.[1]

const noReason = "no reason is given"

/** Lists the reasons of skipped tests, and how many are skipped for each. */
export const skipLines = (
  skipped: ReadonlyArray<{ readonly title: string; readonly note: string | undefined }>
): ReadonlyArray<string> => {
  const titles = new Map<string, Array<string>>()
  for (const { note, title } of skipped) {
    const reason = reasonOf(title, note) ?? noReason
    titles.set(reason, [...(titles.get(reason) ?? []), title])
  }
  return [...titles].flatMap(([reason, of]) => [
    `${of.length} skipped: ${reason}`,
    ...(reason === noReason ? of.map((title) => `  ${title}`) : [])
  ])
}

/**
 * Ends a run with one plain line, `12 passed, 0 failed, 1 skipped`, for people and programs that read logs. The reasons of
 * skipped tests stand before it; a skip without a reason fails the run.
 */
export default class PlainSummary implements Reporter {
  private isFiltered = false

  onInit({ config }: Vitest): void {
    this.isFiltered = config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    const skipped: Array<{ readonly title: string; readonly note: string | undefined }> = []
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const result = test.result()
        counts[result.state]++
        if (result.state === "skipped") skipped.push({ title: test.fullName, note: result.note })
      }
      if (module.errors().length > 0) counts.failed++
    }
    // Tests that a filter of names leaves out count as skipped, too.
    const reasons = this.isFiltered ? [] : skipLines(skipped)
    if (reasons.some((line) => line.endsWith(noReason))) process.exitCode = 1
    const all = counts.skipped + counts.pending
    process.stdout.write(
      `\n${[...reasons, ""].join("\n")}${counts.passed} passed, ${counts.failed} failed${all > 0 ? `, ${all} skipped` : ""}\n`
    )
  }
}
