import { Effect, Schema } from "effect"
import { Scope } from "../../domain/Scope.ts"
import { nameKey } from "../../domain/Text.ts"
import type { Storage } from "../../ports/Storage.ts"
import { Check } from "./Check.ts"
import type { IdChecks } from "./IdChecks.ts"
import { eachPage } from "./pages.ts"
import type { TimeChecks } from "./TimeChecks.ts"

const areScopes = Schema.is(Schema.NonEmptyArray(Scope))

/** Checks accounts and the API keys that are not revoked. */
export const checkAccess = Effect.fnUntraced(function* (
  { accounts, apiKeys }: Storage["Service"],
  ids: IdChecks,
  times: TimeChecks
) {
  const names = new Check("account_names", "An account is the only one with its name, without regard to case.")
  const owners = new Check("api_key_accounts", "An API key belongs to an account that exists.")
  const scopes = new Check("api_key_scopes", "An API key has one scope or more, and each is one that exists.")
  yield* eachPage(
    accounts.list,
    0,
    ({ id }) => id,
    Effect.fnUntraced(function* (page) {
      for (const { createdAt, id, name } of page) {
        ids.row("accounts", id)
        times.add({ accountId: id }, { createdAt })
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
      for (const { key, previous } of page) {
        const { createdAt, expiresAt, lastUsedAt } = key
        ids.row("API keys", key.id)
        times.add({ keyId: key.id }, { createdAt, expiresAt, lastUsedAt, previousUntil: previous?.until })
        scopes.expect(areScopes(key.scopes), () => ({ keyId: key.id, scopes: key.scopes }))
        const account = yield* accounts.find(key.accountId)
        owners.expect(account !== undefined, () => ({ keyId: key.id, accountId: key.accountId }))
      }
    })
  )
  return [names, owners, scopes]
})
