import type { CheckResult } from "@petstore/core"
import { Petstore } from "@petstore/core/effect"
import { Console, Effect } from "effect"
import { CommandFailed } from "./CommandError.ts"
import { openExisting } from "./database.ts"
import type { Database } from "./settings.ts"

export interface VerifyInput {
  readonly database: Database
  readonly json: boolean
}

const toLines = ({ checked, examples, rule, violations }: CheckResult): ReadonlyArray<string> => {
  if (violations === 0) return [`ok      ${rule} (${checked} checked)`]
  const more = violations - examples.length
  return [
    `BROKEN  ${rule} (${violations} of ${checked})`,
    ...examples.map((row) => `          ${JSON.stringify(row)}`),
    ...(more > 0 ? [`          and ${more} more`] : [])
  ]
}

/** Prints every rule with its counts and the rows that break it; fails where one is broken. */
export const run = ({ database, json }: VerifyInput) =>
  Effect.gen(function* () {
    const petstore = yield* Petstore
    const report = yield* petstore.verify
    const violations = report.checks.reduce((sum, check) => sum + check.violations, 0)
    yield* Console.log(
      json
        ? JSON.stringify(report, null, 2)
        : [...report.checks.flatMap(toLines), `${violations} violations of ${report.checks.length} rules`].join("\n")
    )
    if (!report.ok) return yield* new CommandFailed({})
  }).pipe(Effect.provide(openExisting(database)))
