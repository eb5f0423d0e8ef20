import { limits, Preset } from "@petstore/core/domain"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { formats } from "./import/formats.ts"
import { refusal, settingFlag } from "./Setting.ts"
import * as settings from "./settings.ts"
import { untilStopped } from "./stopSignal.ts"

/** Loads a part of the program when it is called for, so that the server does not wait for parts that it has no use for. */
const lazily =
  <Part, Input, A, E, R>(load: () => Promise<Part>, run: (part: Part) => (input: Input) => Effect.Effect<A, E, R>) =>
  (input: Input): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.promise(load), (part) => run(part)(input))

/** The same for a part that a signal just ends. */
const lazilyUntilStopped =
  <Part, Input, A, E, R>(load: () => Promise<Part>, run: (part: Part) => (input: Input) => Effect.Effect<A, E, R>) =>
  (input: Input) =>
    untilStopped(lazily(load, run)(input))

const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

/** Reads a whole number, or says what was expected instead. */
const readWhole = (source: string, minimum: number, maximum: number) => (given: string) => {
  const value = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
  if (value >= minimum && value <= maximum) return Effect.succeed(value)
  const expected = `a whole number from ${minimum} to ${maximum}`
  return Effect.fail(new CliError.ValidationError({ message: refusal(source, expected, given) }))
}

const tablePrefix = settingFlag(settings.tablePrefix)
const database = { storage: settingFlag(settings.databaseFile), tablePrefix }
const json = toggle("json", "Print JSON")

const keyId = Argument.String("ID").pipe(
  Argument.withDescription("The id of the key"),
  Argument.mapEffect(readWhole("ID", 1, limits.id))
)

const serve = Command.make(
  "serve",
  {
    port: settingFlag(settings.port),
    host: settingFlag(settings.host),
    storage: settingFlag(settings.storage),
    tablePrefix,
    basePath: settingFlag(settings.basePath),
    rateLimit: settingFlag(settings.rateLimit),
    connectionLimit: settingFlag(settings.connectionLimit)
  },
  lazily(
    () => import("./subcommands/serve.ts"),
    ({ run }) => run
  )
).pipe(
  Command.withDescription(
    "Run the server until SIGTERM or SIGINT. If there is no admin key, one is created and printed on standard output, once. PETSTORE_ADMIN_KEY in the environment is an admin key while it is set."
  ),
  Command.withShortDescription("Run the server")
)

const accounts = Command.make("accounts").pipe(
  Command.withDescription("Manage the accounts that API keys belong to"),
  Command.withSubcommands([
    Command.make(
      "create",
      { name: Argument.String("NAME").pipe(Argument.withDescription("The name of the account")), database },
      lazilyUntilStopped(
        () => import("./subcommands/accounts.ts"),
        ({ create }) => create
      )
    ).pipe(Command.withDescription("Create an account and print its id")),
    Command.make(
      "list",
      { database, json },
      lazilyUntilStopped(
        () => import("./subcommands/accounts.ts"),
        ({ list }) => list
      )
    ).pipe(Command.withDescription("List every account"))
  ])
)

const keys = Command.make("keys").pipe(
  Command.withDescription("Manage API keys"),
  Command.withSubcommands([
    Command.make(
      "create",
      {
        account: text("account", "NAME", "The account of the key; created if it does not exist"),
        preset: Flag.Literals("preset", Preset.literals).pipe(
          Flag.withDescription("A named set of scopes"),
          Flag.optional
        ),
        scopes: text("scopes", "SCOPE,SCOPE", "Scopes instead of a preset, such as pets:read,orders:write").pipe(
          Flag.optional
        ),
        name: text("name", "NAME", "What the key is for").pipe(Flag.withDefault("petstore keys create")),
        expiresAt: text("expires-at", "TIME", "When the key expires, such as 2030-01-31T00:00:00Z").pipe(Flag.optional),
        database
      },
      lazilyUntilStopped(
        () => import("./subcommands/keys.ts"),
        ({ create }) => create
      )
    ).pipe(Command.withDescription("Create an API key and print it; it is shown only once")),
    Command.make(
      "list",
      { database, json },
      lazilyUntilStopped(
        () => import("./subcommands/keys.ts"),
        ({ list }) => list
      )
    ).pipe(Command.withDescription("List every API key, without secrets")),
    Command.make(
      "revoke",
      { id: keyId, database },
      lazilyUntilStopped(
        () => import("./subcommands/keys.ts"),
        ({ revoke }) => revoke
      )
    ).pipe(Command.withDescription("Revoke an API key at once")),
    Command.make(
      "rotate",
      {
        id: keyId,
        graceSeconds: text("grace-seconds", "SECONDS", "How long the old secret still works; 24 hours if absent").pipe(
          Flag.mapEffect(readWhole("--grace-seconds", 0, limits.rotationGrace)),
          Flag.optional
        ),
        database
      },
      lazilyUntilStopped(
        () => import("./subcommands/keys.ts"),
        ({ rotate }) => rotate
      )
    ).pipe(Command.withDescription("Give an API key a new secret and print the new key"))
  ])
)

const importFile = Command.make(
  "import",
  {
    file: Argument.String("FILE").pipe(Argument.withDescription("A CSV or NDJSON file in UTF-8; - for standard input")),
    columns: text(
      "column",
      "FIELD=COLUMN",
      "The column of a field (name, category, status or quantity), if it is named otherwise. Repeatable"
    ).pipe(Flag.atLeast(0)),
    format: Flag.Literals("format", formats).pipe(
      Flag.withDescription("The format, if the file name does not tell it"),
      Flag.optional
    ),
    rejected: text("rejected", "FILE", "Where to list rejected rows; FILE.rejected.csv if absent").pipe(Flag.optional),
    fromLine: text(
      "from-line",
      "LINE",
      "Skip the rows before this line, for example if rows were appended to a file that was imported"
    ).pipe(Flag.mapEffect(readWhole("--from-line", 1, Number.MAX_SAFE_INTEGER)), Flag.withDefault(1)),
    again: toggle("again", "Import every row again, even if the file was imported before"),
    dryRun: toggle("dry-run", "Check every row and write nothing, except rejected rows if --rejected names a file"),
    strict: toggle("strict", "Exit with 1 if a row was rejected"),
    database
  },
  lazily(
    () => import("./subcommands/importFile.ts"),
    ({ run }) => run
  )
).pipe(
  Command.withDescription(
    "Import pets. Each row is a pet with a name, a category and, optionally, a status and a quantity. Missing categories are created. Rejected rows are listed in FILE.rejected.csv with their line and the reason. To resume an import that was stopped, run the same command again; a file that was imported is refused unless --again is given."
  ),
  Command.withShortDescription("Import pets from a file"),
  Command.withExamples([
    { command: "petstore import pets.csv --column name=animal_name --column category=species" },
    { command: "petstore import pets.ndjson --dry-run" }
  ])
)

const verify = Command.make(
  "verify",
  { database, json },
  lazilyUntilStopped(
    () => import("./subcommands/verify.ts"),
    ({ run }) => run
  )
).pipe(
  Command.withDescription(
    "Check every rule on the data and print counts and offending rows; exit with 1 if a rule is broken"
  )
)

const backup = Command.make(
  "backup",
  { file: Argument.String("FILE").pipe(Argument.withDescription("A file that does not exist yet")), database },
  lazily(
    () => import("./subcommands/backup.ts"),
    ({ run }) => run
  )
).pipe(Command.withDescription("Copy the database to a new file while other processes write"))

const migrate = Command.make(
  "migrate",
  { database },
  lazilyUntilStopped(
    () => import("./subcommands/migrate.ts"),
    ({ run }) => run
  )
).pipe(Command.withDescription("Bring the schema of the database up to date and list its migrations"))

const openapi = Command.make(
  "openapi",
  {
    format: Flag.Literals("format", ["json", "yaml"]).pipe(
      Flag.withDescription("The format; json if absent"),
      Flag.withDefault("json")
    ),
    basePath: settingFlag(settings.basePath)
  },
  lazilyUntilStopped(
    () => import("./subcommands/openapi.ts"),
    ({ run }) => run
  )
).pipe(Command.withDescription("Print the OpenAPI description of the REST API"))

/** The command `petstore`. */
export const petstore = Command.make("petstore").pipe(
  Command.withDescription("A pet store: REST server and tools"),
  Command.withSubcommands([serve, accounts, keys, importFile, verify, backup, migrate, openapi])
)
