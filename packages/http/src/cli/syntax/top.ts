import * as Command from "effect/cli/Command"
import { settingFlag } from "../Setting.ts"
import * as settings from "../settings.ts"
import { database, lazily, toggle } from "./parts.ts"

export const top = Command.make(
  "top",
  {
    database,
    url: settingFlag(settings.metricsUrl),
    once: toggle("once", "Print one frame, and exit"),
    json: toggle("json", "Print a line of JSON for each frame")
  },
  lazily(
    () => import("../subcommands/top.ts"),
    ({ run }) => run
  )
).pipe(
  Command.withDescription(
    "Show the queues of messages, consumers and webhooks, live, until q, Ctrl-C or SIGTERM. With --metrics-url, also the requests, transactions and commits of a server."
  ),
  Command.withShortDescription("Show what a server or a database does, live")
)
