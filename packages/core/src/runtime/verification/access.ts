/** Accounts with their API keys and idempotency keys. */

import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Account } from "../../domain/access/Account.ts"
import type { ApiKey } from "../../domain/access/ApiKey.ts"
import { Scope } from "../../domain/access/Scope.ts"
import { nameKey } from "../../domain/Text.ts"
import { accountsByName, apiKeys, idempotencyKeys, accounts as table } from "../../tables/index.ts"
import { shownApiKey } from "./ApiKeyLog.ts"
import { eachIn, nextOf, sourceOf } from "./Buckets.ts"
import { compare, difference } from "./Finding.ts"
import { replayedIn } from "./log.ts"
import { eachRowOf, type Pass, rowCheck } from "./Pass.ts"
import type { Rule } from "./Report.ts"
import { createdRow, fieldsOf, isOfChange } from "./StoredResults.ts"

const areScopes = Schema.is(Schema.NonEmptyArray(Scope))

export const accountRules: ReadonlyArray<Rule> = [
  {
    name: "idempotency_results",
    demands:
      "The stored result of an idempotency key is that of one creation, stored with it, or has the form of what a change or deletion returns. A key of an account has one result, and a creation one key.",
    check: {
      storedResult: ({ creation, record }) => {
        const { accountId, createdAt, key, operation } = record
        if (creation === undefined) return { accountId, key, operation }
        const stored = fieldsOf(record) ?? {}
        const expected = creation.result
        const same = compare(
          { accountId, key, operation },
          Object.fromEntries(
            [...new Set([...Object.keys(stored), ...Object.keys(expected)])]
              .sort()
              .map((field) => [field, stored[field]])
          ),
          expected
        )
        if (createdAt <= creation.at) return same
        return {
          ...(same === true ? { accountId, key, operation } : same),
          createdAt: difference(createdAt, creation.at)
        }
      }
    }
  },
  {
    name: "account_names",
    demands: "No two accounts have the same name, ignoring case.",
    check: {
      account: ({ account: { id: accountId, name }, byName }) =>
        byName?.id === accountId || { accountId, name, foundByName: byName?.id ?? null }
    }
  },
  {
    name: "api_key_accounts",
    demands: "An API key belongs to an account that exists.",
    check: {
      apiKey: ({ account, key: { accountId, id: keyId } }) => account !== undefined || { keyId, accountId }
    }
  },
  {
    name: "api_key_scopes",
    demands: "An API key has one or more scopes, and all of them exist.",
    check: { apiKey: ({ key: { id: keyId, scopes } }) => areScopes(scopes) || { keyId, scopes } }
  },
  {
    name: "events_replay_api_keys",
    demands: "API keys agree with their events.",
    check: {
      replayedRow: replayedIn("apiKeys"),
      apiKeyStep: ({ after, event: { data, seq, subject, type } }) => {
        if (after === undefined) return true
        const mayFollow = type !== "apiKey.created" && after.type !== "apiKey.revoked"
        return mayFollow
          ? compare({ seq, type, subject }, shownApiKey(data), shownApiKey(after.data))
          : { seq, type, subject, after: after.type }
      }
    }
  }
]

/** Notes which creation each stored result belongs to. */
export const noteStoredResults = (pass: Pass) => {
  const check = pass.report.on("storedResult")
  let before = { accountId: Number.NEGATIVE_INFINITY, key: "" }
  return eachRowOf(pass, idempotencyKeys, {}, ({ fingerprint: _, ...record }) => {
    const { accountId, key } = record
    const isNext = accountId > before.accountId || (accountId === before.accountId && key > before.key)
    before = { accountId, key }
    if (isNext && isOfChange(record)) return
    const row = isNext ? createdRow(record) : undefined
    if (row === undefined) check({ record, creation: undefined })
    else pass.note(row.table, row.id, ["storedResult", record, row.id])
  })
}

/** Checks accounts with the results of their creation. */
export const verifyAccounts = ({ buckets, nextNoted, report, results, store, takeFacts }: Pass) => {
  const checkRow = rowCheck(report, table, { id: "accountId", ids: "accounts" })
  const check = report.on("account")
  const rows = sourceOf(store, table)
  return buckets.each(
    [nextOf(rows)],
    nextNoted("accounts"),
    Effect.fnUntraced(function* (range) {
      yield* takeFacts("accounts", range.bucket)
      const accounts: Array<Account> = []
      yield* eachIn(rows, range, (record) => {
        checkRow(record)
        accounts.push(record.account)
      })
      for (const account of accounts) {
        const { createdAt, id, name } = account
        results.created(id, () => ({ id, name, createdAt }), createdAt)
        const [byName] = yield* store.select(accountsByName, nameKey(name), 1)
        check({ account, byName: byName?.account })
      }
      results.finish()
    })
  )
}

/** Checks API keys, revoked ones included, with their events. */
export const verifyApiKeys = ({ buckets, log, nextNoted, report, store, takeFacts }: Pass) => {
  const checkRow = rowCheck(report, apiKeys, { id: "keyId", ids: "API keys" })
  const check = report.on("apiKey")
  const rows = sourceOf(store, apiKeys)
  return buckets.each(
    [nextOf(rows)],
    nextNoted(apiKeys.name),
    Effect.fnUntraced(function* (range) {
      yield* takeFacts(apiKeys.name, range.bucket)
      const keys: Array<ApiKey> = []
      yield* eachIn(rows, range, (record) => {
        checkRow(record)
        log.compareApiKey(record)
        keys.push(record.key)
      })
      for (const key of keys) check({ key, account: (yield* store.find(table, key.accountId))?.account })
      log.finish()
    })
  )
}
