import { EventQuery, EventType, limits } from "@petstore/core/domain"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { refusal, settingFlag } from "../Setting.ts"
import * as settings from "../settings.ts"
import { database, lazily, readWhole, text, toggle } from "./parts.ts"

const loadEvents = () => import("../subcommands/events.ts")

const isEventType = Schema.is(EventType)

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

const isSubject = Schema.is(EventQuery.fields.subject.schema)

const readSubject = (given: string) =>
  isSubject(given)
    ? Effect.succeed(given)
    : Effect.fail(
        new CliError.ValidationError({
          message: refusal("--subject", "a collection and an id, such as orders/17", given)
        })
      )

export const events = Command.make("events").pipe(
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
        subject: text("subject", "SUBJECT", "Only events of this resource, such as orders/17").pipe(
          Flag.mapEffect(readSubject),
          Flag.optional
        ),
        database,
        url: settingFlag(settings.remoteUrl),
        json: toggle("json", "Print each event as a line of JSON")
      },
      lazily(loadEvents, ({ tail }) => tail)
    ).pipe(
      Command.withDescription(
        "Print events as they are committed, by whichever process, until SIGINT or SIGTERM. With --url, the environment variable PETSTORE_KEY has the API key, which needs the scope events:read, or one such as events:orders for some of them."
      ),
      Command.withShortDescription("Print events as they are committed")
    )
  ])
)
