import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { refusal, settingFlag } from "../Setting.ts"
import * as settings from "../settings.ts"
import { database, fileArgument, json, lazily, lazilyUntilStopped, secretKeys, text, toggle } from "./parts.ts"

const loadVerify = () => import("../subcommands/verify.ts")
const loadBackup = () => import("../subcommands/backup.ts")
const loadRestore = () => import("../subcommands/restore.ts")
const loadCopy = () => import("../subcommands/copy.ts")
const loadSchema = () => import("../subcommands/schema.ts")

export const verify = Command.make(
  "verify",
  {
    database,
    secretKeys,
    record: toggle("record", "Store the result, so that GET /stats and the console show it"),
    json
  },
  lazilyUntilStopped(loadVerify, ({ run }) => run)
).pipe(
  Command.withDescription(
    "Check every invariant on the data. Prints each invariant with its counts and the rows that break it; exits with 1 if one is broken."
  ),
  Command.withShortDescription("Check every invariant on the data")
)

export const backup = Command.make(
  "backup",
  { file: fileArgument("FILE", "New file; it must not exist yet"), database },
  lazily(loadBackup, ({ run }) => run)
).pipe(Command.withDescription("Copy the database to a new file, even while other processes write"))

export const restore = Command.make(
  "restore",
  { backup: fileArgument("BACKUP", "File that petstore backup has made"), database },
  lazilyUntilStopped(loadRestore, ({ run }) => run)
).pipe(
  Command.withDescription(
    "Replace the database by a backup. The backup is verified first, and stays; the former database is kept beside it under another name. Stop all processes on the database first."
  ),
  Command.withShortDescription("Replace the database by a backup")
)

/** The database of a side of a copy. */
const side = (name: "from" | "to", description: string) => ({
  storage: text(name, "STORAGE", `${description}: ${settings.database.expected.replace(/ \(.*/, "")}`).pipe(
    Flag.mapEffect((given) =>
      Option.match(settings.database.parse(given), {
        onSome: Effect.succeed,
        onNone: () =>
          Effect.fail(
            new CliError.ValidationError({ message: refusal(`--${name}`, settings.database.expected, given) })
          )
      })
    )
  ),
  schema: settingFlag({ ...settings.schema, flag: `${name}-schema` }),
  tablePrefix: settingFlag({ ...settings.tablePrefix, flag: `${name}-table-prefix` })
})

export const copy = Command.make(
  "copy",
  {
    from: side("from", "Database to copy"),
    to: side("to", "New database"),
    snapshot: toggle("snapshot", "Copy one moment of a database that is in use; its later changes are not copied")
  },
  lazily(loadCopy, ({ run }) => run)
).pipe(
  Command.withDescription(
    "Copy a whole store to a new database of any kind: every row with its id and version, the events with their numbers, API keys and idempotency keys. Then the numbers of rows are compared, and every invariant is checked. If a copy is stopped, delete the target, and run the same command again. Stop all processes on the source first."
  ),
  Command.withShortDescription("Copy a whole store to another database"),
  Command.withExamples([{ command: "petstore copy --from sqlite:petstore.db --to postgres://petstore@localhost/shop" }])
)

export const migrate = Command.make(
  "migrate",
  {
    database,
    create: toggle("create", "Create the SQLite file if it does not exist"),
    indexes: text(
      "indexes",
      settings.indexes.metavar,
      "Build these indexes for lists by time and metadata, and drop the others; none to drop all"
    ).pipe(
      Flag.mapEffect((given) =>
        Option.match(settings.indexes.parse(given), {
          onSome: Effect.succeed,
          onNone: () =>
            Effect.fail(
              new CliError.ValidationError({ message: refusal("--indexes", settings.indexes.expected, given) })
            )
        })
      ),
      Flag.optional
    ),
    dryRun: toggle("dry-run", "Print the SQL that would run, for another role or program to run, and change nothing")
  },
  lazilyUntilStopped(loadSchema, ({ migrate }) => migrate)
).pipe(Command.withDescription("Migrate the schema of the database to this version and list its migrations"))

export const doctor = Command.make(
  "doctor",
  {
    database,
    cluster: toggle(
      "cluster",
      "Check instead whether an acknowledged order survives the loss of a machine; exits with 1 if it does not, or if anything else is wrong"
    )
  },
  lazilyUntilStopped(loadSchema, ({ doctor }) => doctor)
).pipe(
  Command.withDescription(
    "Compare the tables, columns, indexes, constraints, triggers and functions of the database with what this version needs. Prints each difference with the SQL statements that fix it, and changes nothing; exits with 1 if there is one."
  ),
  Command.withShortDescription("Compare the schema of the database with what it should be")
)
