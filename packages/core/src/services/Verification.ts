import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InternalError } from "../domain/errors/ServiceErrors.ts"
import type { CheckResult } from "../ports/RowChecks.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { type Checks, loadChecks } from "./verification/loadChecks.ts"
import { VerificationLimits } from "./verification/VerificationLimits.ts"

export type { CheckResult } from "../ports/RowChecks.ts"

/** The results of all rules. */
export interface VerificationReport {
  /** Whether every rule holds. */
  readonly ok: boolean
  readonly checks: ReadonlyArray<CheckResult>
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
      /** Checks the store in a snapshot, which waits for the store alone: so what checks it is loaded before. */
      const check = Effect.fnUntraced(function* ({ verifyStore }: Checks) {
        const checkHere = verifyStore(storage, limits)
        const checkRows =
          checkRowsApart === undefined
            ? checkHere
            : Effect.flatMap(checkRowsApart(limits), (results) =>
                results === undefined ? checkHere : Effect.succeed(results)
              )
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
          const checks = yield* loadChecks
          const { problems, results } = yield* detached(check(checks)).pipe(
            // The snapshot could not be kept: report what is wrong with the store itself.
            Effect.catchTag("InternalError", (error) =>
              Effect.map(storage.inspect, (damage) => ({ problems: [...damage, unreadable(error)], results: [] }))
            )
          )
          const all = [...checks.intact(problems), ...results]
          return { ok: all.every(({ violations }) => violations === 0), checks: all }
        })
      }
    })
  )
}
