import { DeliveryStatus, limits } from "@petstore/core/domain"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { settingFlag } from "../Setting.ts"
import * as settings from "../settings.ts"
import { database, idArgument, json, lazilyUntilStopped, readWhole, secretKeys, text } from "./parts.ts"

const loadWebhooks = () => import("../subcommands/webhooks.ts")

const webhookId = idArgument("Id of the webhook")

const optionalWhole = (name: string, metavar: string, minimum: number, description: string) =>
  text(name, metavar, description).pipe(Flag.mapEffect(readWhole(`--${name}`, minimum, limits.id)), Flag.optional)

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("Look at webhooks, test them and deliver events again"),
  Command.withSubcommands([
    Command.make(
      "list",
      { database, secretKeys, json },
      lazilyUntilStopped(loadWebhooks, ({ list }) => list)
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
      lazilyUntilStopped(loadWebhooks, ({ deliveries }) => deliveries)
    ).pipe(Command.withDescription("List the deliveries to a webhook, oldest first, with the attempts")),
    Command.make(
      "test",
      { id: webhookId, webhookAddresses: settingFlag(settings.webhookAddresses), database, secretKeys, json },
      lazilyUntilStopped(loadWebhooks, ({ test }) => test)
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
      lazilyUntilStopped(loadWebhooks, ({ redeliver }) => redeliver)
    ).pipe(
      Command.withDescription(
        "Schedule one delivery again, or the events of a range, whatever became of them. A running server sends them."
      ),
      Command.withShortDescription("Deliver events again")
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
