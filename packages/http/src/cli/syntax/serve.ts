import * as Console from "effect/Console"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { settingFlag } from "../Setting.ts"
import * as settings from "../settings.ts"
import { lazily, lazilyUntilStopped } from "./parts.ts"
import { serveFlags } from "./serveFlags.ts"

const loadServe = () => import("../subcommands/serve.ts")
const loadDocument = () => import("../../openapi/documentText.ts")

export const serve = Command.make(
  "serve",
  serveFlags,
  lazily(loadServe, ({ run }) => run)
).pipe(
  Command.withDescription(
    "Run the server until SIGTERM or SIGINT. The first start creates an admin key and prints it on standard output, only this once. The environment variable PETSTORE_ADMIN_KEY sets an admin key that is not stored."
  ),
  Command.withShortDescription("Run the server")
)

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
    loadDocument,
    ({ documentText }) =>
      ({ basePath, format }) =>
        Console.log(documentText(format, { basePath }).trimEnd())
  )
).pipe(Command.withDescription("Print the OpenAPI document of the REST API"))
