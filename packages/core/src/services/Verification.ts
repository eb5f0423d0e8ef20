import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InternalError } from "../domain/errors/ServiceErrors.ts"
import type { CheckResult } from "../ports/RowChecks.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { Report } from "./verification/Report.ts"
import { rules } from "./verification/rules.ts"
import { VerificationLimits } from "./verification/VerificationLimits.ts"
import { verifyStore } from "./verification/verifyStore.ts"

export type { CheckResult } from "../ports/RowChecks.ts"

/** The results of all rules. */
export interface VerificationReport {
  /** Whether every rule holds. */
  readonly ok: boolean
  readonly checks: ReadonlyArray<CheckResult>
}

/** The result of the rule that the store itself checks. */
const intact = (problems: ReadonlyArray<string>): ReadonlyArray<CheckResult> => {
  const report = new Report([rules[0]])
  const check = report.on("damage")
  if (problems.length === 0) check(undefined)
  for (const problem of problems) check(problem)
  return report.results
}

const noProblems: ReadonlyArray<string> = []

const unreadable = ({ cause, message }: InternalError): string =>
  `its rows cannot be read: ${cause instanceof Error ? cause.message : message}`

/** Checks every invariant of the engine on the data as it is. */
export class Verification extends Context.Service<
  Verification,
  {
    /** Reads one committed state of the whole store, without stopping writers if the store can. Memory is bounded if the store has temporary lists. */
    readonly verify: Effect.Effect<VerificationReport, StorageError>
  }
>()("@petstore/core/services/Verification") {
  static readonly layer = Layer.effect(
    Verification,
    Effect.gen(function* () {
      const storage = yield* Storage
      const limits = yield* VerificationLimits
      const detached = storage.detachedSnapshot ?? storage.snapshot
      const { checkRowsApart } = storage
      const checkHere = verifyStore(storage, limits)
      const checkRows =
        checkRowsApart === undefined
          ? checkHere
          : Effect.flatMap(checkRowsApart(limits), (results) =>
              results === undefined ? checkHere : Effect.succeed(results)
            )
      const check = Effect.gen(function* () {
        // Rows that cannot be read matter more than the rules that were not checked because of it.
        const rows = checkRows.pipe(
          Effect.map((results) => ({ unread: noProblems, results })),
          Effect.catchTag("InternalError", (error) => Effect.succeed({ unread: [unreadable(error)], results: [] }))
        )
        const concurrency = checkRowsApart === undefined ? 1 : 2
        const [damage, { results, unread }] = yield* Effect.all([storage.inspect, rows], { concurrency })
        return { problems: [...damage, ...unread], results }
      })
      return {
        verify: Effect.gen(function* () {
          const { problems, results } = yield* detached(check).pipe(
            // The snapshot could not be kept: report what is wrong with the store itself.
            Effect.catchTag("InternalError", (error) =>
              Effect.map(storage.inspect, (damage) => ({ problems: [...damage, unreadable(error)], results: [] }))
            )
          )
          const checks = [...intact(problems), ...results]
          return { ok: checks.every(({ violations }) => violations === 0), checks }
        })
      }
    })
  )
}
