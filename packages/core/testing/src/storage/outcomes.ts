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

/** The errors of a store after which nothing has changed. */
const nothingDone: ReadonlyArray<string> = ["StorageBusy", "StorageFull", "StorageUnavailable", "InternalError"]

/** Whether it failed with an error of the store after which nothing has changed. */
export const isStoreFailure = (exit: Exit.Exit<unknown, unknown>): boolean => nothingDone.includes(outcome(exit))

/** Throws unless it died with an error whose message matches. */
export const diedClearly = (exit: Exit.Exit<unknown, unknown>, about: RegExp): void => {
  assertEqual(outcome(exit), "died", "the outcome")
  if (Exit.isSuccess(exit)) return
  const defect = Cause.squash(exit.cause)
  if (defect instanceof ContractViolation) throw defect
  assertTrue(defect instanceof Error && about.test(defect.message), `the defect is an error about ${about}: ${defect}`)
}

/** Throws unless the store rejected a violation of its constraints, with a typed error or a defect. */
export const wasRefused = (exit: Exit.Exit<unknown, unknown>): void =>
  assertTrue(["InternalError", "died"].includes(outcome(exit)), `it is rejected, not ${outcome(exit)}`)
