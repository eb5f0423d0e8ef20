import type { Finding } from "./Finding.ts"
import type { Subjects } from "./Subjects.ts"

/** A rule that must hold at all times. */
export interface Rule {
  /** A short name that stays the same. */
  readonly name: string
  /** What must hold, as a sentence. */
  readonly demands: string
  /** How it is checked, for each kind of subject that it is about. `latest` is the latest time that may have passed. */
  readonly check: { readonly [Kind in keyof Subjects]?: (subject: Subjects[Kind], latest: string) => Finding }
}
