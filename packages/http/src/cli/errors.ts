import * as Data from "effect/Data"

/** The call was wrong, for example an argument or the name of a file. Exit code 2. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

/** The subcommand failed. Exit code 1; without a message if the output has shown the reason. */
export class SubcommandFailed extends Data.TaggedError("SubcommandFailed")<{ readonly message?: string }> {}

/** A signal stopped the subcommand. Exit code 128 plus the number of the signal, as in shells. */
export class Stopped extends Data.TaggedError("Stopped")<{
  readonly signal: "SIGINT" | "SIGTERM"
  readonly message?: string
}> {}

/** The database server does not accept connections now, but may soon. Exit code 1. */
export class DatabaseUnreachable extends Data.TaggedError("DatabaseUnreachable")<{ readonly message: string }> {}
