import { writeFileSync } from "node:fs"
import type { Reporter, TestCase, TestModule } from "vitest/node"

/** What a run of the tests has found. */
export type Outcome =
  | { readonly passed: true }
  | { readonly passed: false; readonly test: string; readonly message: string }

interface Failure {
  readonly name?: string | undefined
  /** Absent if what was thrown is no error. */
  readonly message?: string | undefined
  readonly suppressed?: unknown
}

const isFailure = (value: unknown): value is Failure =>
  typeof value === "object" && value !== null && "message" in value

/** What went wrong first: `await using` reports what goes wrong as it closes, and this below it. */
const firstOf = (failure: Failure): Failure => (isFailure(failure.suppressed) ? firstOf(failure.suppressed) : failure)

/** Writes the outcome of a run, as JSON, into the file that MUTANT_OUTCOME names. */
export default class FirstFailure implements Reporter {
  private outcome: Outcome = { passed: true }

  onTestCaseResult(testCase: TestCase): void {
    const { errors = [], state } = testCase.result()
    if (state !== "failed" || !this.outcome.passed) return
    const [error = {}] = errors
    const { message = "without a message", name = "Error" } = firstOf(error)
    this.outcome = { passed: false, test: testCase.fullName, message: `${name}: ${message.split("\n")[0]}` }
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const broken = modules.flatMap((module) => module.errors())
    const file = process.env.MUTANT_OUTCOME
    if (broken[0] !== undefined) throw new Error(`The tests do not load: ${broken[0].message}`)
    if (file === undefined) throw new Error("MUTANT_OUTCOME names no file")
    writeFileSync(file, JSON.stringify(this.outcome))
  }
}
