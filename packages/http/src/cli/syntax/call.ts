import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { settingFlag } from "../Setting.ts"
import * as settings from "../settings.ts"
import { database, json, lazilyUntilStopped, secretKeys, yes } from "./parts.ts"

export const call = Command.make(
  "call",
  {
    operation: Argument.String("OPERATION").pipe(
      Argument.withDescription("Operation of the REST API, such as listMessages")
    ),
    fields: Argument.String("NAME=VALUE").pipe(
      Argument.withDescription("Field of its path, query or body, such as status=failed"),
      Argument.variadic()
    ),
    webhookAddresses: settingFlag(settings.webhookAddresses),
    database,
    secretKeys,
    json,
    yes
  },
  lazilyUntilStopped(
    () => import("../subcommands/call.ts"),
    ({ run }) => run
  )
).pipe(
  Command.withDescription("Call any operation of the REST API on the database, without a key"),
  Command.withExamples([{ command: "petstore call listDeliveries webhookId=1 status=failed" }])
)
