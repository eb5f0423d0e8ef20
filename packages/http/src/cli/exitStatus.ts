import { InternalError, PetstoreError, ValidationFailed } from "@petstore/core/domain"
import * as Cause from "effect/Cause"
import * as CliError from "effect/cli/CliError"
import * as Exit from "effect/Exit"
import { DatabaseUnreachable, Stopped, SubcommandFailed, UsageError } from "./errors.ts"
import { exitCodeOf } from "./stopSignal.ts"

/** The exit code of the process, and its last message on standard error, if any. */
export interface ExitStatus {
  readonly code: number
  readonly message?: string | undefined
}

/** Makes a text one sentence on one line, without control characters. */
export const sentence = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim()
  return /[.!?]$/.test(line) ? line : `${line}.`
}

const causeOf = (error: Error): string => (error.cause instanceof Error ? ` ${sentence(error.cause.message)}` : "")

const elsewhere = "; the reason is in the log."

/** The message for an error. It shows a cause that a server would log, because the person who runs the CLI owns the data. */
export const describe = (error: Error): string => {
  if (error instanceof InternalError && error.message === new InternalError({}).message) {
    return `${error.message}${causeOf(error)}`
  }
  return error.message.endsWith(elsewhere)
    ? `${sentence(error.message.slice(0, -elsewhere.length))}${causeOf(error)}`
    : sentence(error.message)
}

const failure = (error: unknown): ExitStatus => {
  // The presenter has printed the message of ShowHelp.
  if (CliError.isCliError(error)) return error._tag === "ShowHelp" ? { code: 2 } : { code: 2, message: describe(error) }
  if (error instanceof UsageError || error instanceof ValidationFailed) return { code: 2, message: describe(error) }
  if (error instanceof Stopped || error instanceof SubcommandFailed) {
    const code = error instanceof Stopped ? exitCodeOf(error.signal) : 1
    return error.message === "" ? { code } : { code, message: describe(error) }
  }
  if (error instanceof PetstoreError || error instanceof DatabaseUnreachable)
    return { code: 1, message: describe(error) }
  // A bug: a report of it needs the stack.
  return { code: 1, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

/** The exit status for the result of a subcommand. */
export const exitStatusOf = (exit: Exit.Exit<unknown, unknown>): ExitStatus =>
  Exit.isSuccess(exit) ? { code: 0 } : failure(Cause.squash(exit.cause))
