import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InternalError } from "../domain/errors/ServiceErrors.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { Check, type CheckResult } from "./verification/Check.ts"
import { checkStore } from "./verification/checkStore.ts"
import { VerificationLimits } from "./verification/VerificationLimits.ts"

export type { CheckResult } from "./verification/Check.ts"

/** What came out of all checks. */
export interface VerificationReport {
  /** Whether every rule holds. */
  readonly ok: boolean
  readonly checks: ReadonlyArray<CheckResult>
}

const intact = (problems: ReadonlyArray<string>): CheckResult => {
  const check = new Check(
    "store_intact",
    "The store itself is intact: no damaged page, no broken reference, no index that differs from its rows, no table, index or trigger that is missing or altered, no event id given twice; accounts and API keys are as its log of them tells."
  )
  if (problems.length === 0) check.expect(true, () => ({}))
  for (const problem of problems) check.expect(false, () => ({ problem }))
  return check.result
}

const unreadable = ({ cause, message }: InternalError): string =>
  `its rows cannot be read: ${cause instanceof Error ? cause.message : message}`

/** Checks every invariant of the engine on the data as it is. */
export class Verification extends Context.Service<
  Verification,
  {
    /** Reads one committed moment of the whole store and does not stop writers where the store can do both. Memory is bounded where the store has temporary lists. */
    readonly verify: Effect.Effect<VerificationReport, StorageError>
  }
>()("@petstore/core/services/Verification") {
  static readonly layer = Layer.effect(
    Verification,
    Effect.gen(function* () {
      const storage = yield* Storage
      const limits = yield* VerificationLimits
      const detached = storage.detachedSnapshot ?? storage.snapshot
      const check = Effect.gen(function* () {
        const damage = yield* storage.inspect
        return yield* Effect.scoped(checkStore(storage, limits)).pipe(
          Effect.map((results) => ({ problems: damage, results })),
          // Rows that cannot be read are the news, more than the rules that were not checked for it.
          Effect.catchTag("InternalError", (error) =>
            Effect.succeed({ problems: [...damage, unreadable(error)], results: [] })
          )
        )
      })
      return {
        verify: Effect.gen(function* () {
          const { problems, results } = yield* detached(check).pipe(
            // The moment could not be kept: what is wrong with the store itself is the news.
            Effect.catchTag("InternalError", (error) =>
              Effect.map(storage.inspect, (damage) => ({ problems: [...damage, unreadable(error)], results: [] }))
            )
          )
          const checks = [intact(problems), ...results]
          return { ok: checks.every(({ violations }) => violations === 0), checks }
        })
      }
    })
  )
}
