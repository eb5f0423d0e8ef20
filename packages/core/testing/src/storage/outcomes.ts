import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { assertEqual, assertTrue, ContractViolation } from "../check.ts"

/** How a transaction or an operation ended, in one word for most: "ok", a tag, "died" or "interrupted". */
export const outcome = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) return "ok"
  const [reason] = exit.cause.reasons
  if (reason === undefined) return "empty"
  if (Cause.isDieReason(reason)) return "died"
  if (Cause.isInterruptReason(reason)) return "interrupted"
  const { error } = reason
  return typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "failed"
}

/** The failures of a store that promise that nothing is left behind. */
const nothingDone: ReadonlyArray<string> = ["StorageBusy", "StorageFull", "StorageUnavailable", "InternalError"]

/** Whether it failed as a store does when it did not do its part, and promises that nothing is left. */
export const isStoreFailure = (exit: Exit.Exit<unknown, unknown>): boolean => nothingDone.includes(outcome(exit))

/** Throws unless it is the duplicate of this value. */
export const isDuplicate = (exit: Exit.Exit<unknown, unknown>, value: string): void => {
  assertEqual(outcome(exit), "Duplicate", "the outcome")
  if (Exit.isFailure(exit)) {
    const error = Cause.squash(exit.cause)
    assertEqual(
      typeof error === "object" && error !== null && "value" in error && error.value,
      value,
      "the value that exists"
    )
  }
}

/** Throws unless it died with an error that says what it is about. */
export const diedClearly = (exit: Exit.Exit<unknown, unknown>, about: RegExp): void => {
  assertEqual(outcome(exit), "died", "the outcome")
  if (Exit.isSuccess(exit)) return
  const defect = Cause.squash(exit.cause)
  if (defect instanceof ContractViolation) throw defect
  assertTrue(defect instanceof Error && about.test(defect.message), `the defect is an error about ${about}: ${defect}`)
}

/** Throws unless the store refused what would break its own rules: with a typed failure, or as a defect. */
export const wasRefused = (exit: Exit.Exit<unknown, unknown>): void =>
  assertTrue(["InternalError", "died"].includes(outcome(exit)), `it is refused, not ${outcome(exit)}`)
