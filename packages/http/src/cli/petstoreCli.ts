import { DeliveryStatus, EventType, limits, MessageStatus, Preset } from "@petstore/core/domain"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { formats } from "./import/ImportSettings.ts"
import { refusal, settingFlag } from "./Setting.ts"
import * as settings from "./settings.ts"
import { untilStopped } from "./stopSignal.ts"

/** Loads the module of a subcommand when it runs, so that `serve` does not load the others. */
const lazily =
  <Part, Input, A, E, R>(load: () => Promise<Part>, run: (part: Part) => (input: Input) => Effect.Effect<A, E, R>) =>
  (input: Input): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.promise(load), (part) => run(part)(input))

/** The same for a subcommand that a signal interrupts. */
const lazilyUntilStopped =
  <Part, Input, A, E, R>(load: () => Promise<Part>, run: (part: Part) => (input: Input) => Effect.Effect<A, E, R>) =>
  (input: Input) =>
    untilStopped(lazily(load, run)(input))

const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

/** Reads a whole number; fails with a message of what was expected. */
const readWhole = (source: string, minimum: number, maximum: number) => (given: string) => {
  const value = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
  if (value >= minimum && value <= maximum) return Effect.succeed(value)
  const expected = `a whole number from ${minimum} to ${maximum}`
  return Effect.fail(new CliError.ValidationError({ message: refusal(source, expected, given) }))
}

const isEventType = Schema.is(EventType)

const tablePrefix = settingFlag(settings.tablePrefix)
const schema = settingFlag(settings.schema)
const database = { storage: settingFlag(settings.database), schema, tablePrefix }
const json = toggle("json", "Print JSON instead of text")

const keyId = Argument.String("ID").pipe(
  Argument.withDescription("Id of the key"),
  Argument.mapEffect(readWhole("ID", 1, limits.id))
)

const serve = Command.make(
  "serve",
  {
    port: settingFlag(settings.port),
    host: settingFlag(settings.host),
    storage: settingFlag(settings.storage),
    schema,
    startupTimeout: settingFlag(settings.startupTimeout),
    tablePrefix,
    basePath: settingFlag(settings.basePath),
    rateLimit: settingFlag(settings.rateLimit),
    connectionLimit: settingFlag(settings.connectionLimit),
    metrics: settingFlag(settings.metrics),
    otlp: settingFlag(settings.otlp),
    logFormat: settingFlag(settings.logFormat),
    keepEvents: settingFlag(settings.keepEvents),
    keepEventCount: settingFlag(settings.keepEventCount),
    keepMessages: settingFlag(settings.keepMessages),
    keepDeliveries: settingFlag(settings.keepDeliveries),
    webhookAddresses: settingFlag(settings.webhookAddresses)
  },
  lazily(
    () => import("./subcommands/serve.ts"),
    ({ run }) => run
  )
).pipe(
  Command.withDescription(
    "Run the server until SIGTERM or SIGINT. The first start creates an admin key and prints it on standard output, only this once. The environment variable PETSTORE_ADMIN_KEY sets an admin key that is not stored."
  ),
  Command.withShortDescription("Run the server")
)

const accounts = Command.make("accounts").pipe(
  Command.withDescription("Manage the accounts that API keys belong to"),
  Command.withSubcommands([
    Command.make(
      "create",
      { name: Argument.String("NAME").pipe(Argument.withDescription("Name of the account")), database },
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
        account: text("account", "NAME", "Account of the key; created if it does not exist"),
        preset: Flag.Literals("preset", Preset.literals).pipe(
          Flag.withDescription("Named set of scopes"),
          Flag.optional
        ),
        scopes: text("scopes", "SCOPE,SCOPE", "Scopes instead of a preset, such as pets:read,orders:write").pipe(
          Flag.optional
        ),
        name: text("name", "NAME", "Name of the key, to recognize it later (default: petstore keys create)").pipe(
          Flag.withDefault("petstore keys create")
        ),
        expiresAt: text("expires-at", "TIME", "When the key expires, such as 2030-01-31T00:00:00Z").pipe(Flag.optional),
        database
      },
      lazilyUntilStopped(
        () => import("./subcommands/keys.ts"),
        ({ create }) => create
      )
    ).pipe(Command.withDescription("Create an API key and print it, only this once")),
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
        graceSeconds: text(
          "grace-seconds",
          "SECONDS",
          "How long the old key keeps working (default: 86400, which is 24 hours)"
        ).pipe(Flag.mapEffect(readWhole("--grace-seconds", 0, limits.rotationGrace)), Flag.optional),
        database
      },
      lazilyUntilStopped(
        () => import("./subcommands/keys.ts"),
        ({ rotate }) => rotate
      )
    ).pipe(Command.withDescription("Replace the secret of an API key and print the new key"))
  ])
)

/** Reads a list of event types; fails with a message that names those that exist. */
const readTypes = (given: string) => {
  const names = given.split(",").map((name) => name.trim())
  const wrong = names.find((name) => !isEventType(name))
  return wrong === undefined
    ? Effect.succeed(names.filter(isEventType))
    : Effect.fail(
        new CliError.ValidationError({
          message: refusal("--types", `event types separated by commas, of ${EventType.literals.join(", ")}`, wrong)
        })
      )
}

const events = Command.make("events").pipe(
  Command.withDescription("Read the event log"),
  Command.withSubcommands([
    Command.make(
      "tail",
      {
        after: text("after", "SEQ", "Position to continue after; 0 for all events (default: from now on)").pipe(
          Flag.mapEffect(readWhole("--after", 0, limits.id)),
          Flag.optional
        ),
        types: text("types", "TYPE,TYPE", "Only events of these types, such as order.placed,order.completed").pipe(
          Flag.mapEffect(readTypes),
          Flag.optional
        ),
        database,
        url: settingFlag(settings.remoteUrl),
        json: toggle("json", "Print each event as a line of JSON")
      },
      lazily(
        () => import("./subcommands/events.ts"),
        ({ tail }) => tail
      )
    ).pipe(
      Command.withDescription(
        "Print events as they are committed, by whichever process, until SIGINT or SIGTERM. With --url, the environment variable PETSTORE_KEY has the API key, which needs the scope events:read."
      ),
      Command.withShortDescription("Print events as they are committed")
    )
  ])
)

const messages = Command.make("messages").pipe(
  Command.withDescription("Look at the queue of messages"),
  Command.withSubcommands([
    Command.make(
      "list",
      {
        status: Flag.Literals("status", MessageStatus.literals).pipe(
          Flag.withDescription("Only messages with this status"),
          Flag.optional
        ),
        database,
        json
      },
      lazilyUntilStopped(
        () => import("./subcommands/messages.ts"),
        ({ list }) => list
      )
    ).pipe(Command.withDescription("List messages, oldest first, with the attempts to deliver them")),
    Command.make(
      "requeue",
      {
        ids: Argument.String("ID").pipe(
          Argument.withDescription("Failed message; several to queue all of them"),
          Argument.variadic()
        ),
        all: toggle("all", "Queue every failed message again"),
        database
      },
      lazilyUntilStopped(
        () => import("./subcommands/messages.ts"),
        ({ requeue }) => requeue
      )
    ).pipe(Command.withDescription("Queue failed messages again, each for ten more attempts"))
  ])
)

const webhookId = Argument.String("ID").pipe(
  Argument.withDescription("Id of the webhook"),
  Argument.mapEffect(readWhole("ID", 1, limits.id))
)

const optionalWhole = (name: string, metavar: string, minimum: number, description: string) =>
  text(name, metavar, description).pipe(Flag.mapEffect(readWhole(`--${name}`, minimum, limits.id)), Flag.optional)

const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("Look at webhooks, test them and deliver events again"),
  Command.withSubcommands([
    Command.make(
      "list",
      { database, json },
      lazilyUntilStopped(
        () => import("./subcommands/webhooks.ts"),
        ({ list }) => list
      )
    ).pipe(Command.withDescription("List every webhook, without secrets")),
    Command.make(
      "deliveries",
      {
        id: webhookId,
        status: Flag.Literals("status", DeliveryStatus.literals).pipe(
          Flag.withDescription("Only deliveries with this status"),
          Flag.optional
        ),
        database,
        json
      },
      lazilyUntilStopped(
        () => import("./subcommands/webhooks.ts"),
        ({ deliveries }) => deliveries
      )
    ).pipe(Command.withDescription("List the deliveries to a webhook, oldest first, with the attempts")),
    Command.make(
      "test",
      { id: webhookId, webhookAddresses: settingFlag(settings.webhookAddresses), database, json },
      lazilyUntilStopped(
        () => import("./subcommands/webhooks.ts"),
        ({ test }) => test
      )
    ).pipe(
      Command.withDescription(
        "Send one event of the type webhook.test to a webhook from this machine, and print the outcome; exits with 1 if the webhook did not accept it. Sends nothing else."
      ),
      Command.withShortDescription("Send a test event to a webhook")
    ),
    Command.make(
      "redeliver",
      {
        id: webhookId,
        delivery: optionalWhole("delivery", "ID", 1, "One delivery"),
        after: optionalWhole("after", "SEQ", 0, "Every event after this position; 0 for all events"),
        through: optionalWhole("through", "SEQ", 0, "Up to this position (default: the last event)"),
        database,
        json
      },
      lazilyUntilStopped(
        () => import("./subcommands/webhooks.ts"),
        ({ redeliver }) => redeliver
      )
    ).pipe(
      Command.withDescription(
        "Schedule one delivery again, or the events of a range, whatever became of them. A running server sends them."
      ),
      Command.withShortDescription("Deliver events again")
    )
  ])
)

const importFile = Command.make(
  "import",
  {
    file: Argument.String("FILE").pipe(Argument.withDescription("A CSV or NDJSON file in UTF-8; - for standard input")),
    columns: text(
      "column",
      "FIELD=COLUMN",
      "Column of a field (name, category, status or quantity), if it has another name. Repeatable"
    ).pipe(Flag.atLeast(0)),
    format: Flag.Literals("format", formats).pipe(
      Flag.withDescription("File format, if the file name does not show it"),
      Flag.optional
    ),
    rejected: text("rejected", "FILE", "File for the rejected rows (default: FILE.rejected.csv)").pipe(Flag.optional),
    fromLine: text(
      "from-line",
      "LINE",
      "Skip the rows before this line, for example after rows were appended to an imported file"
    ).pipe(Flag.mapEffect(readWhole("--from-line", 1, Number.MAX_SAFE_INTEGER)), Flag.withDefault(1)),
    again: toggle("again", "Import every row again, even if the file was imported before"),
    dryRun: toggle("dry-run", "Check every row without importing it. Rejected rows are listed only with --rejected"),
    strict: toggle("strict", "Exit with 1 if a row was rejected"),
    database
  },
  lazily(
    () => import("./subcommands/importFile.ts"),
    ({ run }) => run
  )
).pipe(
  Command.withDescription(
    "Import pets. Each row is a pet with a name, a category and optionally a status and a quantity. Missing categories are created. Rejected rows are listed in FILE.rejected.csv with their line and the reason. To resume a stopped import, run the same command again. A file that was imported before is rejected unless you pass --again."
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
    "Check every invariant on the data. Prints each invariant with its counts and the rows that break it; exits with 1 if one is broken."
  ),
  Command.withShortDescription("Check every invariant on the data")
)

const backup = Command.make(
  "backup",
  { file: Argument.String("FILE").pipe(Argument.withDescription("New file; it must not exist yet")), database },
  lazily(
    () => import("./subcommands/backup.ts"),
    ({ run }) => run
  )
).pipe(Command.withDescription("Copy the database to a new file, even while other processes write"))

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

const copy = Command.make(
  "copy",
  {
    from: side("from", "Database to copy"),
    to: side("to", "New database"),
    snapshot: toggle("snapshot", "Copy one moment of a database that is in use; its later changes are not copied")
  },
  lazily(
    () => import("./subcommands/copy.ts"),
    ({ run }) => run
  )
).pipe(
  Command.withDescription(
    "Copy a whole store to a new database of any kind: every row with its id and version, the events with their numbers, API keys and idempotency keys. Then every row is compared, and every invariant is checked. To resume a stopped copy, run the same command again. Stop all processes on the source first."
  ),
  Command.withShortDescription("Copy a whole store to another database"),
  Command.withExamples([{ command: "petstore copy --from sqlite:petstore.db --to postgres://petstore@localhost/shop" }])
)

const migrate = Command.make(
  "migrate",
  {
    database,
    dryRun: toggle("dry-run", "Print the SQL that would run, for another role or program to run, and change nothing")
  },
  lazilyUntilStopped(
    () => import("./subcommands/migrate.ts"),
    ({ run }) => run
  )
).pipe(Command.withDescription("Migrate the schema of the database to this version and list its migrations"))

const doctor = Command.make(
  "doctor",
  { database },
  lazilyUntilStopped(
    () => import("./subcommands/doctor.ts"),
    ({ run }) => run
  )
).pipe(
  Command.withDescription(
    "Compare the tables, columns, indexes, constraints, triggers and functions of the database with what this version needs. Prints each difference with the SQL statements that mend it, and changes nothing; exits with 1 if there is one."
  ),
  Command.withShortDescription("Compare the schema of the database with what it should be")
)

const openapi = Command.make(
  "openapi",
  {
    format: Flag.Literals("format", ["json", "yaml"]).pipe(
      Flag.withDescription("Document format (default: json)"),
      Flag.withDefault("json")
    ),
    basePath: settingFlag(settings.basePath)
  },
  lazilyUntilStopped(
    () => import("./subcommands/openapi.ts"),
    ({ run }) => run
  )
).pipe(Command.withDescription("Print the OpenAPI document of the REST API"))

/** The CLI with all its subcommands. */
export const petstore = Command.make("petstore").pipe(
  Command.withDescription("Pet store: REST server and tools"),
  Command.withSubcommands([
    serve,
    accounts,
    keys,
    events,
    messages,
    webhooks,
    importFile,
    verify,
    backup,
    copy,
    migrate,
    doctor,
    openapi
  ])
)
