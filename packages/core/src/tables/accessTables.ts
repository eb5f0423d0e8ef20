import { AccountNameTaken } from "../domain/access/AccessErrors.ts"
import type { Account } from "../domain/access/Account.ts"
import type { ApiKey } from "../domain/access/ApiKey.ts"
import { columnsOf, query, table } from "../kernel/Table.ts"

/** An account as it is stored. */
export interface AccountRecord {
  readonly account: Account
  /** The name in the form that is compared; unique. */
  readonly nameKey: string
}

/** An API key as it is stored: never the secret, only its SHA-256. */
export interface ApiKeyRecord {
  readonly key: ApiKey
  readonly digest: Uint8Array
  /** The secret before the last rotation, and until when it still works. */
  readonly previous?: { readonly digest: Uint8Array; readonly until: string }
  /** A revoked key stays in the store, so that its id is never used again. */
  readonly revoked: boolean
}

const account = columnsOf<AccountRecord>()
const apiKey = columnsOf<ApiKeyRecord>()

/** The accounts, which stay as they are. */
export const accounts = table<AccountRecord>("accounts", {
  key: ["id"],
  generatesIds: true,
  columns: {
    id: account.integer("account.id"),
    name: account.text("account.name"),
    name_key: account.text("nameKey"),
    created_at: account.time("account.createdAt")
  },
  checks: ["name <> ''"],
  indexes: {
    name: { equal: ["name_key"], isUnique: true, taken: ({ account: { name } }) => new AccountNameTaken({ name }) }
  }
})

const rangesOfAccounts = (after: number) => [{ after: [after] }]

/** The accounts with ids above one. */
export const accountsAfter = query(accounts, "accountsAfter", rangesOfAccounts)

/** The accounts with ids below one, the highest first. */
export const accountsBefore = query(accounts, "accountsBefore", rangesOfAccounts, { isReversed: true })

/** The account with a name, in the form that is compared. */
export const accountsByName = query(accounts, "accountsByName", (nameKey: string) => [
  { index: "name", equal: { name_key: nameKey } }
])

/** The keys of the accounts. Revoked ones stay. */
export const apiKeys = table<ApiKeyRecord>("apiKeys", {
  key: ["id"],
  generatesIds: true,
  columns: {
    id: apiKey.integer("key.id"),
    account_id: apiKey.integer("key.accountId"),
    name: apiKey.text("key.name"),
    scopes: apiKey.json("key.scopes"),
    created_at: apiKey.time("key.createdAt"),
    expires_at: apiKey.time("key.expiresAt?"),
    last_used_at: apiKey.time("key.lastUsedAt?"),
    digest: apiKey.bytes("digest"),
    previous_digest: apiKey.bytes("previous?.digest"),
    previous_until: apiKey.time("previous?.until"),
    revoked: apiKey.boolean("revoked")
  },
  isCached: true,
  references: { account_id: "accounts" },
  checks: [
    "name <> ''",
    "json_type(scopes) = 'array'",
    "length(digest) = 32",
    "length(previous_digest) = 32",
    "(previous_until IS NULL) = (previous_digest IS NULL)"
  ],
  fill: 80,
  live: [{ column: "revoked", is: false }],
  indexes: {
    live: { order: ["id"], where: [{ column: "revoked", is: false }] },
    admin: {
      order: ["id"],
      where: [
        { column: "revoked", is: false },
        { column: "scopes", includes: '"admin"' }
      ]
    }
  }
})

const rangesOfApiKeys = (after: number) => [{ index: "live", after: [after] }]

/** The keys that are not revoked, with ids above one. */
export const apiKeysAfter = query(apiKeys, "apiKeysAfter", rangesOfApiKeys)

/** The keys that are not revoked, with ids below one, the highest first. */
export const apiKeysBefore = query(apiKeys, "apiKeysBefore", rangesOfApiKeys, { isReversed: true })

/** The admin keys. Two that revoke each other's key would each find the other one. */
export const adminKeysAfter = query(
  apiKeys,
  "adminKeysAfter",
  (after: number) => [{ index: "admin", after: [after] }],
  { isExclusive: true }
)
