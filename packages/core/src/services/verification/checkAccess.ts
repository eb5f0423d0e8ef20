import { Effect } from "effect"
import { nameKey } from "../../domain/Text.ts"
import type { Storage } from "../../ports/Storage.ts"
import { Check } from "./Check.ts"
import type { IdChecks } from "./IdChecks.ts"
import { eachPage } from "./pages.ts"

/** Checks accounts and the API keys that are not revoked. */
export const checkAccess = Effect.fnUntraced(function* ({ accounts, apiKeys }: Storage["Service"], ids: IdChecks) {
  const names = new Check("account_names", "An account is the only one with its name, without regard to case.")
  const owners = new Check("api_key_accounts", "An API key belongs to an account that exists.")
  yield* eachPage(
    accounts.list,
    0,
    ({ id }) => id,
    Effect.fnUntraced(function* (page) {
      for (const { id, name } of page) {
        ids.row("accounts", id)
        const found = yield* accounts.findByName(nameKey(name))
        names.expect(found?.id === id, () => ({ accountId: id, name, foundByName: found?.id ?? null }))
      }
    })
  )
  yield* eachPage(
    apiKeys.list,
    0,
    ({ key }) => key.id,
    Effect.fnUntraced(function* (page) {
      for (const { key } of page) {
        ids.row("API keys", key.id)
        const account = yield* accounts.find(key.accountId)
        owners.expect(account !== undefined, () => ({ keyId: key.id, accountId: key.accountId }))
      }
    })
  )
  return [names, owners]
})
