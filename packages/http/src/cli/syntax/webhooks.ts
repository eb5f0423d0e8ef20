import * as Command from "effect/cli/Command"
import { database, lazilyUntilStopped, secretKeys } from "./parts.ts"

const loadWebhooks = () => import("../subcommands/webhooks.ts")

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("Manage secrets of webhooks"),
  Command.withSubcommands([
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
