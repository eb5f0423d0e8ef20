import * as Console from "effect/Console"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { settingFlag } from "../Setting.ts"
import * as settings from "../settings.ts"
import { lazily, lazilyUntilStopped, schema, secretKeys, tablePrefix } from "./parts.ts"

const loadServe = () => import("../subcommands/serve.ts")
const loadDocument = () => import("../../openapi/documentText.ts")

export const serve = Command.make(
  "serve",
  {
    port: settingFlag(settings.port),
    host: settingFlag(settings.host),
    storage: settingFlag(settings.storage),
    schema,
    startupTimeout: settingFlag(settings.startupTimeout),
    postgres: {
      replica: settingFlag(settings.replica),
      groups: settingFlag(settings.groups),
      lockTimeout: settingFlag(settings.lockTimeout),
      statementTimeout: settingFlag(settings.statementTimeout),
      storageTimeout: settingFlag(settings.storageTimeout),
      connectTimeout: settingFlag(settings.connectTimeout)
    },
    tablePrefix,
    basePath: settingFlag(settings.basePath),
    mountPath: settingFlag(settings.mountPath),
    cors: settingFlag(settings.cors),
    trustProxy: settingFlag(settings.trustProxy),
    rateLimit: settingFlag(settings.rateLimit),
    connectionLimit: settingFlag(settings.connectionLimit),
    streamLimit: settingFlag(settings.streamLimit),
    streamsPerKey: settingFlag(settings.streamsPerKey),
    metrics: settingFlag(settings.metrics),
    otlp: settingFlag(settings.otlp),
    accessLog: settingFlag(settings.accessLog),
    logFormat: settingFlag(settings.logFormat),
    keepEvents: settingFlag(settings.keepEvents),
    keepEventCount: settingFlag(settings.keepEventCount),
    keepUndelivered: settingFlag(settings.keepUndelivered),
    keepMessages: settingFlag(settings.keepMessages),
    keepDeliveries: settingFlag(settings.keepDeliveries),
    webhookAddresses: settingFlag(settings.webhookAddresses),
    secretKeys
  },
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
