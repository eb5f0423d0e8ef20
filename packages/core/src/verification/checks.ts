/** What knows all rules: `loadChecks` loads it, for a petstore that is verified, or that removes events. */

import type { CheckResult } from "../ports/RowChecks.ts"
import { Report } from "./Report.ts"
import { rules } from "./rules.ts"
import type { Subjects } from "./Subjects.ts"

export { foldEvents, subjectsOf } from "./checkpoint/foldEvents.ts"
export { verifyStore } from "./verifyStore.ts"

/** The results of the rules that are checked apart from the rows: by the store itself, and with the keys of the petstore. */
export const apart = (
  damage: ReadonlyArray<string>,
  decrypted: ReadonlyArray<Subjects["decrypted"]>
): ReadonlyArray<CheckResult> => {
  const report = new Report([rules[0], rules[1]])
  const check = report.on("damage")
  if (damage.length === 0) check(undefined)
  for (const problem of damage) check(problem)
  decrypted.forEach(report.on("decrypted"))
  return report.results
}
