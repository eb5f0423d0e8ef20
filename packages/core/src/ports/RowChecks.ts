/** How much of a store is in memory at a time while its rows are checked. */
export interface VerificationLimits {
  /** Ids of a table that are checked together. */
  readonly ids: number
  /** Facts about rows that wait in memory for their rows. */
  readonly facts: number
}

/** The result of one rule. */
export interface CheckResult {
  /** A short name of the rule that stays the same. */
  readonly name: string
  /** The rule that must hold, as a sentence. */
  readonly rule: string
  /** How many rows it was checked on. */
  readonly checked: number
  readonly violations: number
  /** The first rows that violate it. */
  readonly examples: ReadonlyArray<Readonly<Record<string, unknown>>>
}
