import * as Data from "effect/Data"

/** What was asked for cannot be: a wrong argument, or a file that is not there. Exit code 2. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

/** What was asked for was tried, and the answer is no. Exit code 1; says nothing where the output said it already. */
export class SubcommandFailed extends Data.TaggedError("SubcommandFailed")<{ readonly message?: string }> {}

/** A signal ended the command before it was done. Exit code 128 and the number of the signal, as shells count. */
export class Stopped extends Data.TaggedError("Stopped")<{
  readonly signal: "SIGINT" | "SIGTERM"
  readonly message?: string
}> {}
