import { MessageStatus } from "@petstore/core/domain"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { database, json, lazilyUntilStopped, toggle } from "./parts.ts"

const loadMessages = () => import("../subcommands/messages.ts")

export const messages = Command.make("messages").pipe(
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
      lazilyUntilStopped(loadMessages, ({ list }) => list)
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
      lazilyUntilStopped(loadMessages, ({ requeue }) => requeue)
    ).pipe(Command.withDescription("Queue failed messages again, each for ten more attempts"))
  ])
)
