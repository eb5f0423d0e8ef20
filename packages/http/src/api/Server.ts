import { AttemptFailure, Id, integer, Scope, Timestamp } from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import { describeSchema, type OperationDocs } from "./docs.ts"
import { operation } from "./operation.ts"

/** Who sends a request, and what they may do. */
export const Session = Schema.Struct({
  actor: Schema.String,
  keyId: Schema.optionalKey(Id),
  name: Schema.optionalKey(Schema.String),
  accountId: Schema.optionalKey(Id),
  scopes: Schema.Array(Scope),
  expiresAt: Schema.optionalKey(Timestamp),
  indexes: Schema.optionalKey(Schema.Array(Schema.String)),
  search: Schema.optionalKey(Schema.Literal("words"))
}).annotate({ identifier: "Session" })
export interface Session extends Schema.Schema.Type<typeof Session> {}

const Count = integer(0, Number.MAX_SAFE_INTEGER, "int64")
const Seconds = Schema.Number.check(Schema.isGreaterThanOrEqualTo(0))

/** Numbers under these names. */
const counts = <const Names extends ReadonlyArray<string>>(identifier: string, ...names: Names) =>
  Schema.Struct(
    Object.fromEntries(names.map((name) => [name, Count])) as { readonly [Name in Names[number]]: typeof Count }
  ).annotate({ identifier })

const TransactionStats = counts("TransactionStats", "committed", "rejected", "retried", "failed", "waiting")
const MessageAttempts = counts("MessageAttempts", "delivered", "failed")
const WebhookAttempts = counts("WebhookAttempts", "delivered", ...AttemptFailure.literals)
const EventLogStats = counts("EventLogStats", "earliest", "latest", "subscribers", "lag")
const CommitSize = Schema.Struct({ upTo: Count, count: Count }).annotate({ identifier: "CommitSize" })
const CommitStats = Schema.Struct({
  count: Count,
  transactions: Count,
  largest: Count,
  groupSizes: Schema.Array(CommitSize)
}).annotate({ identifier: "CommitStats" })
const ConsumerStats = Schema.Struct({
  name: Schema.String,
  position: Count,
  lag: Count,
  age: Seconds
}).annotate({ identifier: "ConsumerStats" })
const MessageStats = Schema.Struct({
  queued: Count,
  failed: Count,
  oldestQueued: Seconds,
  attempts: MessageAttempts
}).annotate({ identifier: "MessageStats" })
const ReservationStats = Schema.Struct({
  overdue: Count,
  oldestOverdue: Seconds,
  tooLong: Count
}).annotate({ identifier: "ReservationStats" })
const WebhookEndpointStats = Schema.Struct({
  id: Id,
  enabled: Schema.Boolean,
  pending: Count,
  failed: Count,
  oldestPending: Seconds
}).annotate({ identifier: "WebhookEndpointStats" })
const WebhookStats = Schema.Struct({
  attempts: WebhookAttempts,
  endpoints: Schema.Array(WebhookEndpointStats)
}).annotate({ identifier: "WebhookStats" })

const LastVerification = Schema.Struct({
  at: Timestamp,
  ok: Schema.Boolean,
  checks: Count,
  violations: Count
}).annotate({ identifier: "LastVerification" })

/** What `petstore.stats()` of the server's petstore returns, and when it was read. */
export const ServerStats = Schema.Struct({
  at: Timestamp,
  storage: Schema.String,
  uptime: Seconds,
  transactions: TransactionStats,
  commits: CommitStats,
  events: EventLogStats,
  consumers: Schema.Array(ConsumerStats),
  messages: MessageStats,
  reservations: ReservationStats,
  webhooks: WebhookStats,
  verification: Schema.optionalKey(LastVerification)
}).annotate({ identifier: "ServerStats" })
export interface ServerStats extends Schema.Schema.Type<typeof ServerStats> {}

/** A few of the numbers at a time. */
export const StatsPoint = Schema.Struct({
  at: Timestamp,
  committed: Count,
  rejected: Count,
  failed: Count,
  commits: Count,
  latestEvent: Count,
  lag: Count,
  queuedMessages: Count,
  failedMessages: Count,
  pendingDeliveries: Count,
  failedDeliveries: Count
}).annotate({ identifier: "StatsPoint" })
export interface StatsPoint extends Schema.Schema.Type<typeof StatsPoint> {}

const getSession = operation("getSession", "GET", "/session", {
  useCase: "server.session",
  success: Session,
  scopes: []
})
export const getSessionDocs = (): OperationDocs<typeof getSession> => ({
  summary: "Get the caller",
  description:
    "Returns who the caller is, which scopes they have and which filters lists take, so that a page shows what they may do.",
  success: "The caller.",
  response: { actor: "admin", scopes: ["admin"] },
  stability: "beta"
})

const getStats = operation("getStats", "GET", "/stats", {
  useCase: "server.stats",
  success: ServerStats,
  scopes: ["stats:read"]
})
export const getStatsDocs = (): OperationDocs<typeof getStats> => ({
  summary: "Get the statistics",
  description:
    "Returns the work of this server since it started, and the queues of the store. All callers within a second receive the same numbers.",
  success: "The numbers.",
  response: {
    at: "2026-05-04T09:30:00.000Z",
    storage: "sqlite",
    uptime: 86_400,
    transactions: { committed: 42, rejected: 1, retried: 0, failed: 0, waiting: 0 },
    commits: {
      count: 40,
      transactions: 42,
      largest: 2,
      groupSizes: [
        { upTo: 1, count: 38 },
        { upTo: 2, count: 2 }
      ]
    },
    events: { earliest: 1, latest: 42, subscribers: 2, lag: 0 },
    consumers: [{ name: "search-index", position: 40, lag: 2, age: 0.5 }],
    messages: { queued: 1, failed: 0, oldestQueued: 0.2, attempts: { delivered: 7, failed: 0 } },
    reservations: { overdue: 0, oldestOverdue: 0, tooLong: 0 },
    webhooks: {
      attempts: {
        delivered: 30,
        status: 1,
        gone: 0,
        redirect: 0,
        timeout: 0,
        connection: 0,
        address: 0,
        response_too_large: 0,
        invalid_response: 0,
        no_sender: 0,
        event_gone: 0,
        attempt_lost: 0
      },
      endpoints: [{ id: 1, enabled: true, pending: 1, failed: 0, oldestPending: 0.1 }]
    },
    verification: { at: "2026-05-04T03:00:00.000Z", ok: true, checks: 60, violations: 0 }
  },
  stability: "beta"
})

const getStatsHistory = operation("getStatsHistory", "GET", "/stats/history", {
  useCase: "server.statsHistory",
  success: Schema.Array(StatsPoint),
  scopes: ["stats:read"]
})
export const getStatsHistoryDocs = (): OperationDocs<typeof getStatsHistory> => ({
  summary: "Get the statistics history",
  description:
    "Returns the numbers of the last 15 minutes, the oldest first, at most one point every 5 seconds. This server keeps them in memory whenever a caller asks for the statistics; it reads none while nobody asks.",
  success: "The points; the last one is of now.",
  response: [
    {
      at: "2026-05-04T09:30:00.000Z",
      committed: 42,
      rejected: 1,
      failed: 0,
      commits: 40,
      latestEvent: 42,
      lag: 0,
      queuedMessages: 1,
      failedMessages: 0,
      pendingDeliveries: 1,
      failedDeliveries: 0
    }
  ],
  stability: "beta"
})

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table
export const serverDocs = () => ({
  parameters: {},
  schemas: [
    describeSchema(Session, "Who sends a request, and what they may do.", {
      actor: "The name of the caller in the stock ledger, such as `key:1`.",
      keyId: "The API key. Absent for the admin key of the server, and for users of the host application.",
      name: "What the key is for.",
      accountId: "The account whose orders and idempotency keys the caller shares. Absent if there is none.",
      scopes: "What the caller may do. `admin` implies all other scopes.",
      expiresAt: "When the key expires. Absent if it does not expire.",
      indexes: "The indexes of lists that the server has, such as `orders.createdAt`. Absent if it has none.",
      search: "Whether names are searched by words. Absent if not."
    }),
    describeSchema(ServerStats, "The work of a server, and the queues of its store.", {
      at: "When the numbers were read.",
      storage: "The kind of store, such as `sqlite`.",
      uptime: "Seconds since this server opened the store.",
      transactions: "The transactions of this server.",
      commits: "The commits of this server.",
      events: "The event log.",
      consumers: "Consumers with a name, sorted by name; the first 100.",
      messages: "The queue of messages.",
      reservations: "Reservations that have expired.",
      webhooks: "The webhooks.",
      verification: "The last `petstore verify --record`, of any process. Absent if there was none."
    }),
    describeSchema(LastVerification, "The result of a verification.", {
      at: "When it ended.",
      ok: "Whether every invariant held.",
      checks: "The invariants that were checked.",
      violations: "The rows that broke one."
    }),
    describeSchema(StatsPoint, "Numbers of a server and of the queues of its store at a time.", {
      at: "When they were read.",
      committed: "Transactions of this server that succeeded since it started.",
      rejected: "Its transactions that were rejected.",
      failed: "Its transactions that were not committed because of the store.",
      commits: "Its commits.",
      latestEvent: "The `seq` of the last event.",
      lag: "How many events the slowest reader of this server has not handled.",
      queuedMessages: "Messages that are queued.",
      failedMessages: "Messages that have failed for good.",
      pendingDeliveries: "Deliveries that are pending, summed over the endpoints.",
      failedDeliveries: "Deliveries that have failed for good, summed over the endpoints."
    }),
    describeSchema(TransactionStats, "What became of the transactions of this server.", {
      committed: "Succeeded, those that changed nothing included.",
      rejected: "Rejected by a rule or a check, or cancelled.",
      retried: "How many times one was tried again.",
      failed: "Not committed because of the store, or with an unknown outcome.",
      waiting: "Waiting for their turn now."
    }),
    describeSchema(CommitStats, "The commits of this server. Several transactions may share one.", {
      count: "Commits that changed something.",
      transactions: "Transactions in these commits, summed.",
      largest: "The most transactions in one commit.",
      groupSizes: "Commits by the number of their transactions."
    }),
    describeSchema(CommitSize, "How many commits had a number of transactions.", {
      upTo: "At most this number of transactions, and more than the entry before.",
      count: "The number of these commits."
    }),
    describeSchema(EventLogStats, "The event log of the store.", {
      earliest: "The `seq` of the first event that is kept.",
      latest: "The `seq` of the last event; 0 if there is none.",
      subscribers: "How many subscriptions, streams, consumers and webhooks of this server follow the log.",
      lag: "How many events the slowest of these has not handled."
    }),
    describeSchema(ConsumerStats, "A consumer with a name, whichever process handles its events.", {
      name: "The name of the consumer.",
      position: "The `seq` of the last event that it has handled.",
      lag: "How many events come after that one.",
      age: "Seconds since the first of these happened; 0 if there is none."
    }),
    describeSchema(MessageStats, "The queue of messages.", {
      queued: "Messages that are queued; 10,000 if there are more.",
      failed: "Messages that have failed for good; 10,000 if there are more.",
      oldestQueued: "Age of the oldest queued message, in seconds; 0 if there is none.",
      attempts: "The attempts of this server."
    }),
    describeSchema(MessageAttempts, "How the attempts of this server to deliver messages ended.", {
      delivered: "Attempts that succeeded.",
      failed: "Attempts that failed."
    }),
    describeSchema(ReservationStats, "Orders that hold units although their reservation has expired.", {
      overdue: "How many there are; 10,000 if there are more.",
      oldestOverdue: "Seconds since the first of them expired; 0 if there is none.",
      tooLong: "Orders whose reservation lasts for more than 365 days; 10,000 if there are more."
    }),
    describeSchema(WebhookStats, "The webhooks of the store, and the attempts of this server.", {
      attempts: "How the attempts of this server ended.",
      endpoints: "The endpoints, sorted by id; the first 100."
    }),
    describeSchema(WebhookEndpointStats, "What an endpoint has not received.", {
      id: "The webhook.",
      enabled: "Whether it receives events.",
      pending: "Deliveries that are pending; 1,000 if there are more.",
      failed: "Deliveries that have failed for good; 1,000 if there are more.",
      oldestPending: "Age of the oldest pending delivery, in seconds; 0 if there is none."
    }),
    describeSchema(WebhookAttempts, "How attempts to deliver webhooks ended: `delivered`, or why not.", {
      delivered: "A status of 2xx.",
      status: "Any other status.",
      gone: "Status 410.",
      redirect: "A redirect, which is not followed.",
      timeout: "No complete response in time.",
      connection: "No connection.",
      address: "The address is not allowed.",
      response_too_large: "A response that is too large.",
      invalid_response: "A response that is not HTTP.",
      no_sender: "A server that sends no webhooks.",
      event_gone: "The event is no longer kept.",
      attempt_lost: "The process of the attempt stopped."
    })
  ]
})

export const serverOperations = { tag: "Service", operations: [getSession, getStats, getStatsHistory] }
