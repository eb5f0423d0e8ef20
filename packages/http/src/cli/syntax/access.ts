import { limits, Preset } from "@petstore/core/domain"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { refusal } from "../Setting.ts"
import { database, idArgument, lazilyUntilStopped, readWhole, text, yes } from "./parts.ts"

const loadKeys = () => import("../subcommands/keys.ts")

const loadConsoleLink = () => import("../subcommands/consoleLink.ts")

const day = Duration.days(1)

/** A time of at most a day: everyone who has the link may do what its preset allows. */
const readLifetime = (given: string) => {
  const lifetime = /^\d{1,4} (?:minute|hour)s?$/.test(given)
    ? Duration.fromInput(given as Duration.Input)
    : Option.none<Duration.Duration>()
  if (
    Option.isSome(lifetime) &&
    Duration.isGreaterThan(lifetime.value, Duration.zero) &&
    !Duration.isGreaterThan(lifetime.value, day)
  ) {
    return Effect.succeed(lifetime.value)
  }
  const expected = "a time of at most 24 hours, such as 8 hours or 30 minutes"
  return Effect.fail(new CliError.ValidationError({ message: refusal("--for", expected, given) }))
}

const readUrl = (given: string) =>
  /^https?:\/\/[^\s/?#]+[^\s?#]*$/.test(given)
    ? Effect.succeed(given)
    : Effect.fail(
        new CliError.ValidationError({
          message: refusal("--url", "an http or https URL without a query, such as https://pets.example", given)
        })
      )

const keyId = idArgument("Id of the key")

export const keys = Command.make("keys").pipe(
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
      lazilyUntilStopped(loadKeys, ({ create }) => create)
    ).pipe(Command.withDescription("Create an API key and print it, only this once")),
    Command.make(
      "revoke",
      { id: keyId, database, yes },
      lazilyUntilStopped(loadKeys, ({ revoke }) => revoke)
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
      lazilyUntilStopped(loadKeys, ({ rotate }) => rotate)
    ).pipe(Command.withDescription("Replace the secret of an API key and print the new key"))
  ])
)

/** Named after what it opens: the console of a server. */
export const consoleLink = Command.make(
  "console",
  {
    preset: Flag.Literals("preset", Preset.literals).pipe(
      Flag.withDescription("Named set of scopes (default: read)"),
      Flag.withDefault("read" as const)
    ),
    lifetime: text(
      "for",
      "DURATION",
      "Time until the link expires, such as 30 minutes; at most 24 hours (default: 8 hours)"
    ).pipe(Flag.withDefault("8 hours"), Flag.mapEffect(readLifetime)),
    url: text("url", "URL", "Address of the server, and its mount path (default: http://127.0.0.1:8080, or PORT)").pipe(
      Flag.mapEffect(readUrl),
      Flag.optional
    ),
    database
  },
  lazilyUntilStopped(loadConsoleLink, ({ link }) => link)
).pipe(Command.withDescription("Create a key that expires and print a link that opens the console"))
