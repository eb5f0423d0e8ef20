import type * as Command from "effect/cli/Command"
import { settingFlag } from "../Setting.ts"
import * as settings from "../settings.ts"
import { schema, secretKeys, tablePrefix } from "./parts.ts"

export const serveFlags = {
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
  indexes: settingFlag(settings.indexes),
  basePath: settingFlag(settings.basePath),
  mountPath: settingFlag(settings.mountPath),
  console: settingFlag(settings.console),
  search: settingFlag(settings.search),
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
  reserveFor: settingFlag(settings.reserveFor),
  customerOrders: settingFlag(settings.customerOrders),
  customerUnits: settingFlag(settings.customerUnits),
  customerDrafts: settingFlag(settings.customerDrafts),
  webhookAddresses: settingFlag(settings.webhookAddresses),
  secretKeys
}

export type ServeInput = Command.Command.Config.Infer<typeof serveFlags>
