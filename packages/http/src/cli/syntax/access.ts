import { limits, Preset } from "@petstore/core/domain"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { database, idArgument, json, lazilyUntilStopped, readWhole, text } from "./parts.ts"

const loadAccounts = () => import("../subcommands/accounts.ts")
const loadKeys = () => import("../subcommands/keys.ts")

const keyId = idArgument("Id of the key")

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Manage the accounts that API keys belong to"),
  Command.withSubcommands([
    Command.make(
      "create",
      { name: Argument.String("NAME").pipe(Argument.withDescription("Name of the account")), database },
      lazilyUntilStopped(loadAccounts, ({ create }) => create)
    ).pipe(Command.withDescription("Create an account and print its id")),
    Command.make(
      "list",
      { database, json },
      lazilyUntilStopped(loadAccounts, ({ list }) => list)
    ).pipe(Command.withDescription("List every account"))
  ])
)

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
      "list",
      { database, json },
      lazilyUntilStopped(loadKeys, ({ list }) => list)
    ).pipe(Command.withDescription("List every API key, without secrets")),
    Command.make(
      "revoke",
      { id: keyId, database },
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
