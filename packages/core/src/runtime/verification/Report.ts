import type { CheckResult } from "../../ports/Storage.ts"
import type { Finding, Row } from "./Finding.ts"
import type { Subjects } from "./Subjects.ts"

/** Milliseconds by which the clocks of two machines may differ. */
export const clockToleranceMillis = 86_400_000

/** A rule that must hold at all times. */
export interface Rule {
  /** A short name that stays the same. */
  readonly name: string
  /** What must hold, as a sentence. */
  readonly demands: string
  /**
   * How it is checked, for each kind of subject that it is about. `latest` is the latest time that may have passed: now, and
   * {@link clockToleranceMillis}.
   */
  readonly check: { readonly [Kind in keyof Subjects]?: (subject: Subjects[Kind], latest: string) => Finding }
}

/** Checks a subject of one kind. */
export type Check<Kind extends keyof Subjects> = (subject: Subjects[Kind]) => void

const shown = 20

/** How often a rule was checked and violated. */
class Tally {
  readonly rule: Rule
  private checked = 0
  private violations = 0
  private readonly examples: Array<Row> = []

  constructor(rule: Rule) {
    this.rule = rule
  }

  count(finding: Finding): void {
    if (finding === undefined) return
    this.checked++
    if (finding === true) return
    this.violations++
    if (this.examples.length < shown) this.examples.push(finding)
  }

  get result(): CheckResult {
    const { checked, examples, rule, violations } = this
    return { name: rule.name, rule: rule.demands, checked, violations, examples }
  }
}

/** Checks subjects by rules, and counts what is found. */
export class Report {
  private readonly tallies: ReadonlyArray<Tally>
  private readonly latest: string

  /** `latest`: the latest time that may have passed, as rows store times. Default: any. */
  constructor(rules: ReadonlyArray<Rule>, latest = "9999-12-31T23:59:59.999Z") {
    this.tallies = rules.map((rule) => new Tally(rule))
    this.latest = latest
  }

  /** What checks a subject of this kind by every rule that is about it. */
  on<Kind extends keyof Subjects>(kind: Kind): Check<Kind> {
    const checks = this.tallies.flatMap((tally) => {
      const check = tally.rule.check[kind]
      return check === undefined ? [] : [{ tally, check }]
    })
    return (subject) => {
      for (const { check, tally } of checks) tally.count(check(subject, this.latest))
    }
  }

  /** The results of all rules, in their order. */
  get results(): ReadonlyArray<CheckResult> {
    return this.tallies.map((tally) => tally.result)
  }
}
