import { relative } from "node:path"
import type { UserConsoleLog } from "vitest"
import type { Reporter, Vitest } from "vitest/node"

/** What the test clock prints after a second of real time: on a busy machine, any test with real I/O may take that long. */
const slowClock = "A test is using time, but is not advancing the test clock"

/**
 * Fails the run if a test prints. What a test expects to be logged, it reads with a logger of its own, so that a log that no
 * test expects is seen.
 */
export default class PrintingFiles implements Reporter {
  private vitest: Pick<Vitest, "state"> | undefined
  private readonly files = new Set<string>()

  onInit(vitest: Pick<Vitest, "state">): void {
    this.vitest = vitest
  }

  onUserConsoleLog({ content = "", taskId = "" }: Partial<Pick<UserConsoleLog, "content" | "taskId">>): void {
    if (content.includes(slowClock)) return
    const entity = this.vitest?.state.getReportedEntityById(taskId)
    const module = entity?.type === "module" ? entity : entity?.module
    this.files.add(module === undefined ? "outside of a test" : relative("", module.moduleId))
  }

  onTestRunEnd(): void {
    if (this.files.size > 0) this.fail(`Tests print, so the run fails: ${[...this.files].join(", ")}`)
  }

  protected fail(reason: string): void {
    process.stderr.write(`\n${reason}\n`)
    process.exitCode = 1
  }
}
