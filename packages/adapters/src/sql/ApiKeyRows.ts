import type { ApiKeyRecord, ApiKeyRows } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { claimed } from "./claimed.ts"
import type { Sql } from "./Sql.ts"

interface ApiKeyRow {
  readonly id: number
  readonly account_id: number
  readonly name: string
  readonly scopes: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly digest: Uint8Array
  readonly previous_digest: Uint8Array | null
  readonly previous_until: string | null
  readonly revoked: number | boolean
}

const select = `SELECT id, account_id, name, scopes, created_at, expires_at, last_used_at, digest, previous_digest,
  previous_until, revoked FROM petstore_api_keys`
const selectLive = `${select} WHERE id = ? AND NOT revoked`
const selectPage = `${select} INDEXED BY petstore_api_keys_live WHERE NOT revoked AND id > ? ORDER BY id LIMIT ?`
const selectAll = `${select} WHERE id > ? ORDER BY id LIMIT ?`
const selectOtherAdmin = `SELECT id FROM petstore_api_keys INDEXED BY petstore_api_keys_admin
  WHERE NOT revoked AND scopes LIKE '%"admin"%' AND id <> ? AND (expires_at IS NULL OR expires_at > ?)
  ORDER BY id LIMIT 1`
const insert = `INSERT INTO petstore_api_keys (account_id, name, scopes, created_at, expires_at, last_used_at, digest,
  previous_digest, previous_until, revoked) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const update = `UPDATE petstore_api_keys SET account_id = ?, name = ?, scopes = ?, created_at = ?, expires_at = ?,
  last_used_at = ?, digest = ?, previous_digest = ?, previous_until = ?, revoked = ? WHERE id = ?`
const updateLastUse = "UPDATE petstore_api_keys SET last_used_at = ? WHERE id = ?"

export const toApiKey = (row: ApiKeyRow): ApiKeyRecord => ({
  key: {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    scopes: JSON.parse(row.scopes),
    createdAt: row.created_at,
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at })
  },
  digest: row.digest,
  ...(row.previous_digest === null || row.previous_until === null
    ? {}
    : { previous: { digest: row.previous_digest, until: row.previous_until } }),
  revoked: Boolean(row.revoked)
})

const values = ({ key, digest, previous, revoked }: Parameters<ApiKeyRows["insert"]>[0]) =>
  [
    key.accountId,
    key.name,
    JSON.stringify(key.scopes),
    key.createdAt,
    key.expiresAt,
    key.lastUsedAt,
    digest,
    previous?.digest,
    previous?.until,
    revoked
  ] as const

export const apiKeyRows = (sql: Sql): ApiKeyRows => {
  const insertKey = sql.insert(insert)
  const updateKey = sql.run(update)
  const touch = sql.run(updateLastUse)
  // Two that revoke each other's key would each find the other one. Who holds the claim need not lock the key that it finds:
  // whoever has locked that to revoke it waits for the claim, and a lock would wait for them in turn.
  const claimAdmins = claimed(sql, "admin keys")
  const otherAdmin = sql.first(selectOtherAdmin, () => true)
  return {
    find: sql.first(selectLive, toApiKey),
    lock: sql.lock(selectLive, toApiKey),
    list: sql.all(selectPage, toApiKey),
    scan: sql.all(selectAll, toApiKey),
    otherAdminExists: (id, at) =>
      Effect.map(Effect.andThen(claimAdmins(), otherAdmin(id, at)), (found) => found === true),
    insert: (key) => insertKey(...values(key)),
    save: (key) => updateKey(...values(key), key.key.id),
    touch: (id, at) => touch(at, id)
  }
}
