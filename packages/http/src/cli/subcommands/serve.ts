import { memory } from "@petstore/adapters/memory"
import type { Retention } from "@petstore/core/domain"
import { Petstore } from "@petstore/core/effect"
import { ApiKeys, type RuntimeOptions } from "@petstore/core/runtime"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import type * as Redacted from "effect/Redacted"
import type { AccessLogEntry } from "../../server/options.ts"
import { serve } from "../../server/serve.ts"
import { type ListenError, reasonOf } from "../../server/transport/nodeServer.ts"
import { webhookSender } from "../../webhooks/webhookSender.ts"
import { openOrCreate } from "../database.ts"
import { SubcommandFailed } from "../errors.ts"
import { placeOf } from "../PostgresUrl.ts"
import { readSetting } from "../Setting.ts"
import * as settings from "../settings.ts"
import { StopSignal } from "../stopSignal.ts"
import type { ServeInput } from "../syntax/serveFlags.ts"
import { loggerIn } from "../terminal/logger.ts"
import { waitingForServer } from "../waitingForServer.ts"
import { findOrCreateAccount } from "./accounts.ts"

const keptFor = (time: Duration.Duration | "forever") => (time === "forever" ? {} : { for: time })

/** How long the store keeps what it needs no longer. */
const retentionOf = ({
  keepDeliveries,
  keepEventCount,
  keepEvents,
  keepMessages,
  keepUndelivered
}: ServeInput): Retention => ({
  events: { ...keptFor(keepEvents), ...(keepEventCount === "all" ? {} : { count: keepEventCount }) },
  undelivered: keptFor(keepUndelivered),
  messages: keptFor(keepMessages),
  deliveries: keptFor(keepDeliveries)
})

/** How much those may hold who see their own orders alone. */
const orderLimitsOf = ({ customerDrafts, customerOrders, customerUnits }: ServeInput): RuntimeOptions =>
  customerOrders === "off"
    ? {}
    : {
        orderLimits: {
          openOrders: customerOrders,
          reservedUnits: customerUnits,
          drafts: customerDrafts,
          of: "customers"
        }
      }

const openStorage = (input: ServeInput) =>
  Layer.unwrap(
    Effect.map(settings.withPostgresSettings(input.storage, input.postgres), (storage) =>
      openChosen({ ...input, storage })
    )
  )

const openChosen = (input: ServeInput) => {
  const { schema, startupTimeout, storage, tablePrefix } = input
  const options = {
    indexes: input.indexes,
    retention: retentionOf(input),
    reservations: input.reserveFor === "forever" ? {} : { expireAfter: input.reserveFor },
    ...orderLimitsOf(input),
    search: input.search,
    webhooks: webhookSender({ allowAddresses: input.webhookAddresses }),
    ...settings.withSecretKeys(input.secretKeys)
  }
  if (storage.kind === "memory") return Petstore.layer(memory(), options)
  const opened = openOrCreate({ storage, schema, tablePrefix }, options)
  return storage.kind === "postgres" ? waitingForServer(opened, Duration.seconds(startupTimeout)) : opened
}

/** Loaded only if it is used: most servers export nothing. */
const telemetry = Effect.promise(() => import("../telemetry/openTelemetry.ts"))

const exporterOf = ({ basePath, host, otlp, port }: ServeInput) =>
  otlp === undefined
    ? Layer.empty
    : Layer.unwrap(
        Effect.map(telemetry, ({ openTelemetry }) => openTelemetry(otlp, process.env, { basePath, host, port }))
      )

/** Exports the last numbers of the petstore while it is open. */
const flushAtEnd = ({ otlp }: ServeInput) =>
  otlp === undefined ? Effect.void : Effect.addFinalizer(() => Effect.flatMap(telemetry, ({ flush }) => flush))

/** Creates an admin key unless there is one; undefined then. Of several servers that start at once, one creates it. */
export const createFirstKey = Effect.gen(function* () {
  const { createFirst, hasAdmin } = yield* ApiKeys
  if (yield* hasAdmin) return undefined
  const { id: accountId } = yield* findOrCreateAccount("admin")
  return yield* createFirst({ accountId, name: "first start", preset: "admin" })
})

/** Creates and prints an admin key if there is none, with a request that uses it. `api`: the URL of the API. */
const ensureAdminKey = (
  adminKey: Redacted.Redacted<string> | undefined,
  api: string,
  { kind }: settings.StorageChoice
) =>
  Effect.gen(function* () {
    const created = adminKey === undefined ? yield* createFirstKey : undefined
    if (created === undefined) return
    yield* Effect.logInfo(
      "Created an admin key, because there was none. It is shown only this once, on standard output."
    )
    // Not in the log, which may be kept: both lines contain the secret.
    yield* Console.log(created.key)
    yield* Console.log(`curl -H 'Authorization: Bearer ${created.key}' '${api}/pets'`)
    if (kind !== "memory" && (yield* (yield* Petstore).pets.list({ limit: 1 })).items.length === 0) {
      yield* Effect.logInfo(
        'There are no pets yet: "petstore import --sample", on the same storage, adds 20 to try it out'
      )
    }
  })

const explain = ({ cause, host, port }: ListenError): SubcommandFailed =>
  new SubcommandFailed({
    message: `Cannot listen on ${host} port ${port}: ${reasonOf(cause)}`
  })

/** Shows which database it is, and what each of several servers on it does for itself. */
const logStorage = Effect.fnUntraced(function* ({ postgres: { replica }, rateLimit, schema, storage }: ServeInput) {
  if (storage.kind !== "postgres") return
  yield* Effect.logInfo(`Storage: PostgreSQL at ${placeOf(storage)}, schema ${schema}`)
  if (replica !== undefined) {
    yield* Effect.logInfo(`Lists are read from the standby at ${placeOf({ url: replica })} while it is up to date`)
  }
  if (rateLimit === "off") return
  yield* Effect.logInfo(
    `Rate limit: ${rateLimit} requests per minute and key on this server; other servers on the database count their own`
  )
})

/** Writes entries of the access log to the log of the server. */
const accessLogger = Effect.map(
  Effect.context<never>(),
  (services) =>
    ({ duration, method, path, status, ...rest }: AccessLogEntry): void => {
      const entry = Effect.logInfo(`${method} ${path} ${status}`)
      const milliseconds = Math.round(duration * 1_000) / 1_000
      const known = Record.filter(rest, (value) => value !== undefined)
      Effect.runForkWith(services)(Effect.annotateLogs(entry, { ...known, milliseconds }))
    }
)

/** Runs the server until a signal comes, then finishes the requests that have begun. */
export const run = (input: ServeInput) =>
  Effect.gen(function* () {
    const { basePath, connectionLimit, cors, host, metrics, mountPath, port, rateLimit, trustProxy } = input
    const adminKey = yield* readSetting(settings.adminKey)
    const stop = yield* StopSignal
    const serving = Effect.gen(function* () {
      yield* flushAtEnd(input)
      const { metricsUrl, url } = yield* serve({
        host,
        port,
        basePath,
        mountPath,
        trustProxy,
        rateLimit,
        connectionLimit,
        streamLimit: input.streamLimit,
        streamsPerKey: input.streamsPerKey,
        metrics: metrics === "on",
        console: input.console,
        ...(cors === undefined ? {} : { cors }),
        ...(input.accessLog ? { accessLog: yield* accessLogger } : {}),
        ...(typeof metrics === "string" ? {} : { metricsServer: metrics }),
        ...(adminKey === undefined ? {} : { adminKey })
      }).pipe(Effect.catchTag("ListenError", (error) => Effect.fail(explain(error))))
      // Only once the server listens: a start that fails must not use up the only time that the key is shown.
      yield* ensureAdminKey(adminKey, url + basePath, input.storage)
      yield* Effect.logInfo(`petstore is listening on ${url}${basePath}`)
      yield* Effect.logInfo(`API reference: ${url}/docs`)
      if (input.console)
        yield* Effect.logInfo(`Console: ${url}/console (petstore console prints a link that signs you in)`)
      if (metricsUrl !== undefined) yield* Effect.logInfo(`Metrics: ${metricsUrl}`)
      if (input.otlp !== undefined) {
        yield* Effect.logInfo(`Traces and metrics are sent to ${new URL(input.otlp).origin}`)
      }
      yield* logStorage(input)
      return yield* Effect.never
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(openStorage(input), exporterOf(input))))
    const stopping = Effect.tap(stop, (signal) => Effect.logInfo(`petstore is stopping (${signal})`))
    yield* Effect.raceFirst(serving, stopping)
    yield* Effect.logInfo("petstore has stopped")
  }).pipe(Effect.provide(loggerIn(input.logFormat)))
