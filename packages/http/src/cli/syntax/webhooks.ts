import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { settingFlag } from "../Setting.ts"
import * as settings from "../settings.ts"
import { database, lazilyUntilStopped, secretKeys, text, toggle } from "./parts.ts"

const loadWebhooks = () => import("../subcommands/webhooks.ts")

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("Create webhooks and manage their secrets"),
  Command.withSubcommands([
    Command.make(
      "create",
      {
        url: Argument.String("URL").pipe(Argument.withDescription("Address of the receiver")),
        types: text(
          "types",
          "TYPE,TYPE",
          "Types of events to send, such as order.placed (default: all but those of API keys)"
        ).pipe(Flag.optional),
        description: text("description", "TEXT", "What it is for").pipe(Flag.optional),
        ordered: toggle("ordered", "Send the events of each resource one after the other"),
        webhookAddresses: settingFlag(settings.webhookAddresses),
        database,
        secretKeys
      },
      lazilyUntilStopped(loadWebhooks, ({ create }) => create)
    ).pipe(
      Command.withDescription("Create a webhook and print it as JSON, with its secret, only this once"),
      Command.withExamples([
        { command: "petstore webhooks create https://example.com/petstore --types order.placed,order.completed" }
      ])
    ),
    Command.make(
      "encrypt",
      { database, secretKeys },
      lazilyUntilStopped(loadWebhooks, ({ encrypt }) => encrypt)
    ).pipe(
      Command.withDescription(
        "Encrypt the URLs and secrets of all webhooks with the first secret key: those in clear text, and those that another one of the keys has encrypted. Servers may run meanwhile, if they have all of these keys."
      ),
      Command.withShortDescription("Encrypt stored URLs and secrets with the first key")
    )
  ])
)
