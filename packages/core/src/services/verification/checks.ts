/** What knows all rules: `loadChecks` loads it, for a petstore that is verified, or that removes events. */

import type { CheckResult } from "../../ports/RowChecks.ts"
import { Report } from "./Report.ts"
import { rules } from "./rules.ts"

export { foldEvents, subjectsOf } from "./checkpoint/foldEvents.ts"
export { verifyStore } from "./verifyStore.ts"

/** The result of the rule that the store itself checks. */
export const intact = (problems: ReadonlyArray<string>): ReadonlyArray<CheckResult> => {
  const report = new Report([rules[0]])
  const check = report.on("damage")
  if (problems.length === 0) check(undefined)
  for (const problem of problems) check(problem)
  return report.results
}
