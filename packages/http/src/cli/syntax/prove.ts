import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { parsePostgresUrl } from "../PostgresUrl.ts"
import { refusal, settingFlag } from "../Setting.ts"
import * as settings from "../settings.ts"
import { json, lazily, readWhole, text, toggle } from "./parts.ts"

const count = (name: string, metavar: string, description: string, standard: number, maximum: number) =>
  text(name, metavar, `${description} (default: ${standard}; at most ${maximum})`).pipe(
    Flag.mapEffect(readWhole(`--${name}`, 1, maximum)),
    Flag.withDefault(standard)
  )

export const prove = Command.make(
  "prove",
  {
    storage: Argument.String("URL").pipe(
      Argument.withDescription("Cluster to test: postgres://USER@HOST/DATABASE"),
      Argument.mapEffect((given) =>
        Option.match(parsePostgresUrl(given), {
          onSome: Effect.succeed,
          onNone: () =>
            Effect.fail(
              new CliError.ValidationError({ message: refusal("URL", "postgres://USER@HOST/DATABASE", given) })
            )
        })
      )
    ),
    schema: settingFlag(settings.proofSchema),
    duration: count("duration", "SECONDS", "How long the load lasts", 60, 3_600),
    clients: count("clients", "NUMBER", "How many clients make calls at a time", 8, 64),
    wait: count("wait", "SECONDS", "How long to wait for the cluster after the load", 120, 3_600),
    log: text("log", "FILE", "New file for what was acknowledged (default: petstore-prove.ndjson)").pipe(
      Flag.withDefault("petstore-prove.ndjson")
    ),
    resume: text("resume", "FILE", "Run no load; check the log of an earlier proof against its schema").pipe(
      Flag.optional
    ),
    keep: toggle("keep", "Keep the schema even if nothing is found"),
    yes: toggle("yes", "Confirm that the cluster is for tests"),
    json
  },
  lazily(
    () => import("../subcommands/prove.ts"),
    ({ run }) => run
  )
).pipe(
  Command.withDescription(
    "Run load on a staging cluster of PostgreSQL while you stop its machines, then report which acknowledged calls are lost or doubled, which pets are oversold, and which invariants are broken; exits with 1 if there is any. It works in a schema of its own, which it drops at the end if everything holds. A signal ends the load early."
  ),
  Command.withShortDescription("Test what a cluster acknowledges while its machines fail"),
  Command.withExamples([
    { command: "petstore prove postgres://petstore@staging.example/shop --yes" },
    { command: "petstore prove postgres://petstore@staging.example/shop --resume petstore-prove.ndjson --yes" }
  ])
)
