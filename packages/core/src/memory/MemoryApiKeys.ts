import * as Exit from "effect/Exit"
import type { ApiKeyRecord, ApiKeyRows } from "../ports/ApiKeyRows.ts"
import { GroupIndex } from "./GroupIndex.ts"
import type { MemoryConnection } from "./MemoryConnection.ts"
import { MemoryTable, nextId } from "./MemoryTable.ts"
import { byNumber } from "./SortedKeys.ts"
import { violation } from "./violation.ts"

const isLive = (record: ApiKeyRecord): boolean => !record.revoked

const copy = (record: ApiKeyRecord): ApiKeyRecord => ({
  ...record,
  key: { ...record.key, scopes: [...record.key.scopes] },
  digest: record.digest.slice(),
  ...(record.previous === undefined ? {} : { previous: { ...record.previous, digest: record.previous.digest.slice() } })
})

const liveBy = (belongs: (record: ApiKeyRecord) => boolean) =>
  new GroupIndex<number, ApiKeyRecord, true>(byNumber, (record) =>
    isLive(record) && belongs(record) ? true : undefined
  )

/** The API keys, revoked ones included. */
export const apiKeyTable = () =>
  new MemoryTable({
    compare: byNumber,
    copy,
    indexes: { live: liveBy(() => true), admin: liveBy(({ key }) => key.scopes.includes("admin")) }
  })

/** The API keys of a store. */
export const memoryApiKeys = (connection: MemoryConnection): ApiKeyRows => {
  const { accounts, apiKeys } = connection.database
  const { admin, live } = apiKeys.indexes

  const problemOf = ({ accountId }: { readonly accountId: number }): string | undefined =>
    accounts.has(accountId) ? undefined : `There is no account ${accountId}`

  return {
    find: (id) => connection.read(() => apiKeys.find(id, isLive)),
    lock: (id) => connection.lock(() => apiKeys.find(id, isLive)),
    list: (after, limit) => connection.read(() => apiKeys.page(live.keys(true).above(after), limit)),
    scan: (after, limit) => connection.read(() => apiKeys.page(apiKeys.keys.above(after), limit)),
    otherAdminExists: (id, at) =>
      connection.lock(() => {
        const works = ({ key }: ApiKeyRecord) => key.id !== id && (key.expiresAt === undefined || key.expiresAt > at)
        return apiKeys.page(admin.keys(true).above(0), 1, works).length > 0
      }),
    insert: (record) =>
      connection.change((log) => {
        const problem = problemOf(record.key)
        if (problem !== undefined) return violation(problem)
        const id = nextId(apiKeys)
        log.put(apiKeys, id, { ...record, key: { ...record.key, id } })
        return Exit.succeed(id)
      }),
    save: (record) =>
      connection.change((log) => {
        const { id } = record.key
        const problem = apiKeys.has(id) ? problemOf(record.key) : `There is no API key ${id} to save`
        if (problem !== undefined) return violation(problem)
        log.put(apiKeys, id, record)
        return Exit.void
      }),
    touch: (id, at) =>
      connection.change((log) => {
        const record = apiKeys.find(id)
        if (record !== undefined) log.put(apiKeys, id, { ...record, key: { ...record.key, lastUsedAt: at } })
        return Exit.void
      })
  }
}
