import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type ContractCase, requireCases } from "./ContractCase.ts"

/** Which case a line of a {@link ContractReport} is about. */
export interface CaseName {
  readonly group: string
  readonly name: string
}

/** The result of each case of a contract. */
export interface ContractReport {
  /** Whether no case failed. Cases in `skipped` did not run. */
  readonly ok: boolean
  readonly passed: ReadonlyArray<CaseName>
  readonly failed: ReadonlyArray<CaseName & { readonly cause: Cause.Cause<unknown> }>
  readonly skipped: ReadonlyArray<CaseName & { readonly reason: string }>
}

/**
 * Runs the cases one after the other and returns a report, without a test runner. It continues after a failure, and dies
 * with a TypeError if there are no cases.
 *
 * @example
 * ```ts
 * import { petstoreContract, formatReport, inGroups, runContract, testPetstore } from "@petstore/testing"
 * import { Effect } from "effect"
 *
 * const open = Effect.acquireRelease(
 *   Effect.promise(() => testPetstore()),
 *   (petstore) => Effect.promise(() => petstore.close())
 * )
 *
 * const cases = inGroups(petstoreContract({ open }), ["categories"])
 * const report = await Effect.runPromise(runContract(cases))
 * if (!report.ok) throw new Error(formatReport(report))
 * ```
 */
export const runContract = (cases: ReadonlyArray<ContractCase>): Effect.Effect<ContractReport> =>
  Effect.gen(function* () {
    requireCases(cases)
    const passed: Array<ContractReport["passed"][number]> = []
    const failed: Array<ContractReport["failed"][number]> = []
    const skipped: Array<ContractReport["skipped"][number]> = []
    for (const { group, name, run, skip } of cases) {
      if (skip !== undefined) {
        skipped.push({ group, name, reason: skip })
        continue
      }
      const exit = yield* Effect.exit(run)
      if (Exit.isSuccess(exit)) passed.push({ group, name })
      else failed.push({ group, name, cause: exit.cause })
    }
    return { ok: failed.length === 0, passed, failed, skipped }
  })

/**
 * Formats a report as text: which cases failed or were skipped, and why, and how many of each.
 *
 * @example
 * ```ts
 * import { formatReport } from "@petstore/testing"
 *
 * const skipped = [{ group: "backups", name: "a backup is a petstore", reason: "there is no disk" }]
 * formatReport({ ok: true, passed: [], failed: [], skipped })
 * // => "skipped: backups: a backup is a petstore (there is no disk)\n0 passed, 0 failed, 1 skipped"
 * ```
 */
export const formatReport = ({ failed, passed, skipped }: ContractReport): string =>
  [
    ...failed.map(({ cause, group, name }) => `failed: ${group}: ${name}\n${Cause.pretty(cause)}`),
    ...skipped.map(({ group, name, reason }) => `skipped: ${group}: ${name} (${reason})`),
    `${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`
  ].join("\n")
