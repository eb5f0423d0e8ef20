import { InternalError, PetstoreError, ValidationFailed } from "@petstore/core/domain"
import * as Cause from "effect/Cause"
import * as CliError from "effect/cli/CliError"
import * as Exit from "effect/Exit"
import { Stopped, SubcommandFailed, UsageError } from "./errors.ts"
import { exitCodeOf } from "./stopSignal.ts"

/** How the process ends: its exit code, and what it says on standard error, if anything. */
export interface ExitStatus {
  readonly code: number
  readonly message?: string | undefined
}

/** Text on one line, as a sentence, fit for a terminal. */
export const sentence = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim()
  return /[.!?]$/.test(line) ? line : `${line}.`
}

const causeOf = (error: InternalError): string =>
  error.cause instanceof Error ? ` ${sentence(error.cause.message)}` : ""

/** What to tell the person at the terminal: they own the store, so the cause of an internal error is for their eyes. */
export const describe = (error: Error): string =>
  error instanceof InternalError && error.message === new InternalError({}).message
    ? `${error.message}${causeOf(error)}`
    : sentence(error.message)

const failure = (error: unknown): ExitStatus => {
  // Its message was shown together with the way to the help.
  if (CliError.isCliError(error)) return error._tag === "ShowHelp" ? { code: 2 } : { code: 2, message: describe(error) }
  if (error instanceof UsageError || error instanceof ValidationFailed) return { code: 2, message: describe(error) }
  if (error instanceof Stopped || error instanceof SubcommandFailed) {
    const code = error instanceof Stopped ? exitCodeOf(error.signal) : 1
    return error.message === "" ? { code } : { code, message: describe(error) }
  }
  if (error instanceof PetstoreError) return { code: 1, message: describe(error) }
  // A defect of the program: whoever reports it needs to know where.
  return { code: 1, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

export const exitStatusOf = (exit: Exit.Exit<unknown, unknown>): ExitStatus =>
  Exit.isSuccess(exit) ? { code: 0 } : failure(Cause.squash(exit.cause))
