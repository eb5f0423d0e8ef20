/** What came out of one check. */
export interface CheckResult {
  /** A short name of the rule that stays the same. */
  readonly name: string
  /** The rule that must hold, as a sentence. */
  readonly rule: string
  /** How many rows it was checked on. */
  readonly checked: number
  readonly violations: number
  /** The first offending rows. */
  readonly examples: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** A row in a report: the fields that tell what is wrong. */
export type Row = CheckResult["examples"][number]

const shown = 20

/** A rule, and the tally of the rows that it was checked on. */
export class Check {
  readonly name: string
  readonly rule: string
  private checked = 0
  private violations = 0
  private readonly examples: Array<Row> = []

  constructor(name: string, rule: string) {
    this.name = name
    this.rule = rule
  }

  /** Counts a row; `row` describes it where it breaks the rule. */
  expect(holds: boolean, row: () => Row): void {
    this.checked++
    if (holds) return
    this.violations++
    if (this.examples.length < shown) this.examples.push(row())
  }

  /** Counts a row that must be as expected in every field, and shows those in which it is not. */
  agree(identity: Row, found: Row, expected: Row): void {
    const different = Object.keys(found).filter((field) => found[field] !== expected[field])
    this.expect(different.length === 0, () => ({
      ...identity,
      ...Object.fromEntries(
        different.map((field) => [field, { found: found[field] ?? null, expected: expected[field] ?? null }])
      )
    }))
  }

  get result(): CheckResult {
    const { checked, examples, name, rule, violations } = this
    return { name, rule, checked, violations, examples }
  }
}
