import type { AccessChange, AccessLog } from "@petstore/core/ports"
import type { ApiKeyRecord } from "@petstore/core/tables"
import { bytesOfHex } from "../hex.ts"
import { Asked, all, execute } from "../Program.ts"
import type { Sql } from "../Sql.ts"

interface AccessRow {
  readonly seq: number
  readonly subject: string
  readonly state: string
}

const selectAll = "SELECT seq, subject, state FROM petstore_access_log WHERE seq > ? ORDER BY seq LIMIT ?"
const insertAccount = "INSERT INTO petstore_accounts (id, name, name_key, created_at) VALUES (?, ?, ?, ?)"
// Triggers write the log: they record each state that a key has, so it must have each of them again.
const upsertKey = `INSERT INTO petstore_api_keys (id, account_id, name, scopes, created_at, expires_at, revoked, digest,
    previous_digest, previous_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, name = excluded.name, scopes = excluded.scopes,
    created_at = excluded.created_at, expires_at = excluded.expires_at, revoked = excluded.revoked,
    digest = excluded.digest, previous_digest = excluded.previous_digest, previous_until = excluded.previous_until`

const bytesOf = (hex: unknown): Uint8Array => bytesOfHex(String(hex))

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** The change that a row of the log records. The triggers of the schema write its `state`. */
const toChange = ({ seq, state, subject }: AccessRow): AccessChange => {
  const [collection, number] = subject.split("/")
  const id = Number(number)
  const fields: ReadonlyArray<unknown> = JSON.parse(state)
  if (collection === "accounts") {
    const [name, nameKey, createdAt] = fields.map(String)
    return { seq, account: { account: { id, name: name ?? "", createdAt: createdAt ?? "" }, nameKey: nameKey ?? "" } }
  }
  const [accountId, name, scopes, createdAt, expires, revoked, digest, previousDigest, previousUntil] = fields
  const expiresAt = textOf(expires)
  const until = textOf(previousUntil)
  return {
    seq,
    apiKey: {
      key: {
        id,
        accountId: Number(accountId),
        name: String(name),
        scopes: JSON.parse(String(scopes)),
        createdAt: String(createdAt),
        ...(expiresAt === undefined ? {} : { expiresAt })
      },
      digest: bytesOf(digest),
      ...(until === undefined ? {} : { previous: { digest: bytesOf(previousDigest), until } }),
      revoked: Boolean(revoked)
    }
  }
}

const addAccount = execute(insertAccount)
const putKey = execute(upsertKey)
const putUse = execute("UPDATE petstore_api_keys SET last_used_at = ? WHERE id = ?")

/** Makes a change again. */
export const replayed = (change: AccessChange): Asked<void> => {
  if ("account" in change) {
    const { account, nameKey } = change.account
    return new Asked(addAccount, [account.id, account.name, nameKey, account.createdAt])
  }
  const { digest, key, previous, revoked } = change.apiKey
  return new Asked(putKey, [
    key.id,
    key.accountId,
    key.name,
    JSON.stringify(key.scopes),
    key.createdAt,
    key.expiresAt,
    revoked,
    digest,
    previous?.digest,
    previous?.until
  ])
}

/** Sets when a key was last used, which is not in the log. */
export const usedAt = ({ key }: ApiKeyRecord): Asked<void> => new Asked(putUse, [key.lastUsedAt, key.id])

/** The log of accounts and API keys, on a database whose triggers write it. */
export const accessLog = (sql: Sql): AccessLog => {
  const selectPage = all(selectAll, toChange)
  return { scan: (after, limit) => sql.read(() => new Asked(selectPage, [after, limit])) }
}
