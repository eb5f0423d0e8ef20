import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { settingFlag } from "../Setting.ts"
import * as settings from "../settings.ts"
import { lazilyUntilStopped } from "./parts.ts"

export const openapi = Command.make(
  "openapi",
  {
    format: Flag.Literals("format", ["json", "yaml"]).pipe(
      Flag.withDescription("Document format (default: json)"),
      Flag.withDefault("json")
    ),
    basePath: settingFlag(settings.basePath)
  },
  lazilyUntilStopped(
    () => import("../subcommands/openapi.ts"),
    ({ run }) => run
  )
).pipe(Command.withDescription("Print the OpenAPI document of the REST API"))
