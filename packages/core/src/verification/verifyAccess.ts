import * as Effect from "effect/Effect"
import type { Account } from "../access/Account.ts"
import { nameKey } from "../domain/Text.ts"
import { accountsByName, apiKeys, accounts as table } from "../tables/index.ts"
import { eachIn, nextOf, sourceOf } from "./Buckets.ts"
import { eachPageOf } from "./pages.ts"
import { checkIds, type Run } from "./Run.ts"

/** Checks accounts with the results of their creation. */
export const verifyAccounts = ({ buckets, nextNoted, report, results, store, takeFacts }: Run) => {
  const checkId = checkIds(report, "accounts")
  const [check, checkTimes] = [report.on("account"), report.on("times")]
  const rows = sourceOf(store, table)
  return buckets.each(
    [nextOf(rows)],
    nextNoted("accounts"),
    Effect.fnUntraced(function* (range) {
      yield* takeFacts("accounts", range.bucket)
      const accounts: Array<Account> = []
      yield* eachIn(rows, range, ({ account }) => accounts.push(account))
      for (const account of accounts) {
        const { createdAt, id, name } = account
        checkId(id)
        checkTimes({ row: { accountId: id }, times: { createdAt } })
        results.created(id, () => ({ id, name, createdAt }), createdAt)
        const [found] = yield* store.select(accountsByName, nameKey(name), 1)
        check({ account, found: found?.account })
      }
      results.finish()
    })
  )
}

/** Checks API keys, revoked ones included. */
export const verifyApiKeys = ({ report, store }: Run) => {
  const checkId = checkIds(report, "API keys")
  const [check, checkTimes] = [report.on("apiKey"), report.on("times")]
  return eachPageOf(
    store,
    apiKeys,
    Effect.fnUntraced(function* (page) {
      for (const { key, previous } of page) {
        const { createdAt, expiresAt, lastUsedAt } = key
        checkId(key.id)
        checkTimes({
          row: { keyId: key.id },
          times: { createdAt, expiresAt, lastUsedAt, previousUntil: previous?.until }
        })
        check({ key, account: (yield* store.find(table, key.accountId))?.account })
      }
    })
  )
}
