import { Context, Effect, Layer } from "effect"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { Check, type CheckResult } from "./verification/Check.ts"
import { checkStore } from "./verification/checkStore.ts"

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
    "The store itself is intact: no damaged page, no broken reference, no index that differs from its rows."
  )
  if (problems.length === 0) check.expect(true, () => ({}))
  for (const problem of problems) check.expect(false, () => ({ problem }))
  return check.result
}

/** Checks every invariant of the engine on the data as it is. */
export class Verification extends Context.Service<
  Verification,
  {
    /** Reads one committed moment of the whole store and does not stop writers where the store can do both. */
    readonly verify: Effect.Effect<VerificationReport, StorageError>
  }
>()("@petstore/core/services/Verification") {
  static readonly layer = Layer.effect(
    Verification,
    Effect.gen(function* () {
      const storage = yield* Storage
      return {
        verify: Effect.gen(function* () {
          const problems = yield* storage.inspect
          const rules = storage.snapshot(checkStore(storage))
          // Where the store is damaged, that is the news, whether or not its rows can still be read.
          const results = yield* problems.length === 0 ? rules : Effect.catch(rules, () => Effect.succeed([]))
          const checks = [intact(problems), ...results]
          return { ok: checks.every(({ violations }) => violations === 0), checks }
        })
      }
    })
  )
}
