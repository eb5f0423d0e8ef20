import { relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"

/** A file, and the seconds that it took. */
export interface TimedFile {
  readonly file: string
  readonly project: string
  /** In its tests and hooks. */
  readonly tests: number
  /** Before its first test: in loading modules, and in waiting for what all files need. */
  readonly imports: number
}

const shown = 12

/** A short run has no file that is worth a look. */
const worthALook = 60

const secondsOf = ({ imports, tests }: TimedFile): number => tests + imports

const sum = (files: ReadonlyArray<TimedFile>, of: (file: TimedFile) => number): number =>
  files.reduce((total, file) => total + of(file), 0)

const whole = (seconds: number): string => `${Math.round(seconds)} s`

/** Lists the slowest files of a run that took `elapsed` seconds, then what each project took; nothing for a short run. */
export const slowLines = (files: ReadonlyArray<TimedFile>, elapsed: number): ReadonlyArray<string> => {
  if (sum(files, secondsOf) < worthALook) return []
  const slowest = files.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, shown)
  const projects = [...new Set(files.map(({ project }) => project))].sort()
  return [
    "Slowest files:",
    ...slowest.map((file) => `${whole(secondsOf(file)).padStart(7)}  ${file.file}`),
    "Files together, while several run at once:",
    ...projects.map((name) => {
      const of = files.filter(({ project }) => project === name)
      return `${whole(sum(of, secondsOf)).padStart(7)}  ${name}: ${of.length} files, ${whole(sum(of, ({ imports }) => imports))} of it before their first test`
    }),
    `${whole(elapsed).padStart(7)}  from the first to the last`
  ]
}

/** Ends a run with its slowest files and with what each project took, so that a test that became slow is seen. */
export default class SlowFiles implements Reporter {
  private start = 0

  onTestRunStart(): void {
    this.start = performance.now()
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const files = modules.map((module): TimedFile => {
      const { collectDuration, duration, setupDuration } = module.diagnostic()
      return {
        file: relative("", module.moduleId),
        project: module.project.name,
        tests: duration / 1000,
        imports: (collectDuration + setupDuration) / 1000
      }
    })
    const lines = slowLines(files, (performance.now() - this.start) / 1000)
    if (lines.length > 0) process.stdout.write(`\n${lines.join("\n")}\n`)
  }
}
