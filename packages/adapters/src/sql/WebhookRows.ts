import type { WebhookRecord, WebhookRows } from "@petstore/core/ports"
import type { Sql } from "./Sql.ts"

interface WebhookRow {
  readonly id: number
  readonly url: string
  readonly types: string | null
  readonly description: string | null
  readonly ordered: number | boolean
  readonly concurrency: number
  readonly enabled: number | boolean
  readonly disabled_reason: "requested" | "gone" | "failing" | null
  readonly disabled_at: string | null
  readonly created_at: string
  readonly secret: string
  readonly previous_secret: string | null
  readonly previous_until: string | null
  readonly failing_since: string | null
  readonly route: string
  readonly version: number
  readonly deleted: number | boolean
}

const select = `SELECT id, url, types, description, ordered, concurrency, enabled, disabled_reason, disabled_at, created_at,
  secret, previous_secret, previous_until, failing_since, route, version, deleted FROM petstore_webhooks`
const selectLive = `${select} WHERE id = ? AND NOT deleted`
const selectPage = `${select} WHERE id > ? AND NOT deleted ORDER BY id LIMIT ?`
const selectAll = `${select} WHERE id > ? ORDER BY id LIMIT ?`
const insert = `INSERT INTO petstore_webhooks (url, types, description, ordered, concurrency, enabled, disabled_reason,
  disabled_at, created_at, secret, previous_secret, previous_until, failing_since, route, version, deleted)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const update = `UPDATE petstore_webhooks SET url = ?, types = ?, description = ?, ordered = ?, concurrency = ?, enabled = ?,
  disabled_reason = ?, disabled_at = ?, created_at = ?, secret = ?, previous_secret = ?, previous_until = ?,
  failing_since = ?, route = ?, version = ?, deleted = ? WHERE id = ?`

export const toWebhook = (row: WebhookRow): WebhookRecord => ({
  webhook: {
    id: row.id,
    url: row.url,
    ...(row.types === null ? {} : { types: JSON.parse(row.types) }),
    ...(row.description === null ? {} : { description: row.description }),
    ordered: Boolean(row.ordered),
    concurrency: row.concurrency,
    enabled: Boolean(row.enabled),
    ...(row.disabled_reason === null ? {} : { disabledReason: row.disabled_reason }),
    ...(row.disabled_at === null ? {} : { disabledAt: row.disabled_at }),
    createdAt: row.created_at
  },
  version: row.version,
  secret: row.secret,
  ...(row.previous_secret === null || row.previous_until === null
    ? {}
    : { previous: { secret: row.previous_secret, until: row.previous_until } }),
  ...(row.failing_since === null ? {} : { failingSince: row.failing_since }),
  route: JSON.parse(row.route),
  deleted: Boolean(row.deleted)
})

const values = (
  { failingSince, previous, route, secret, version, webhook }: Parameters<WebhookRows["insert"]>[0],
  deleted: boolean
) =>
  [
    webhook.url,
    webhook.types === undefined ? undefined : JSON.stringify(webhook.types),
    webhook.description,
    webhook.ordered,
    webhook.concurrency,
    webhook.enabled,
    webhook.disabledReason,
    webhook.disabledAt,
    webhook.createdAt,
    secret,
    previous?.secret,
    previous?.until,
    failingSince,
    JSON.stringify(route),
    version,
    deleted
  ] as const

export const webhookRows = (sql: Sql): WebhookRows => {
  const insertWebhook = sql.insert(insert)
  const updateWebhook = sql.run(update)
  return {
    find: sql.first(selectLive, toWebhook),
    lock: sql.lock(selectLive, toWebhook),
    list: sql.all(selectPage, toWebhook),
    scan: sql.all(selectAll, toWebhook),
    insert: (record) => insertWebhook(...values(record, false)),
    save: (record) => updateWebhook(...values(record, record.deleted), record.webhook.id)
  }
}
