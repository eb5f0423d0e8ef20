import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Account } from "../../domain/Account.ts"
import { Scope } from "../../domain/Scope.ts"
import { nameKey } from "../../domain/Text.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { AnswerChecks } from "./AnswerChecks.ts"
import { type Buckets, eachIn, nextOf, type Source } from "./Buckets.ts"
import { Check } from "./Check.ts"
import type { Fact } from "./Fact.ts"
import type { Facts } from "./Facts.ts"
import type { IdChecks } from "./IdChecks.ts"
import { beforeAll, eachPage } from "./pages.ts"
import type { TimeChecks } from "./TimeChecks.ts"

const areScopes = Schema.is(Schema.NonEmptyArray(Scope))

interface Shared {
  readonly answers: AnswerChecks
  readonly buckets: Buckets
  readonly facts: Facts<Fact>
  readonly ids: IdChecks
  readonly times: TimeChecks
}

/** Checks accounts and API keys, revoked ones included. */
export const checkAccess = Effect.fnUntraced(function* (
  { accounts, apiKeys }: Storage["Service"],
  { answers, buckets, facts, ids, times }: Shared
) {
  const names = new Check("account_names", "An account is the only one with its name, without regard to case.")
  const owners = new Check("api_key_accounts", "An API key belongs to an account that exists.")
  const scopes = new Check("api_key_scopes", "An API key has one scope or more, and each is one that exists.")
  const accountRows: Source<Account> = { fetch: accounts.list, idOf: ({ id }) => id }
  yield* buckets.each(
    [nextOf(accountRows)],
    (above) => facts.next("accounts", above),
    Effect.fnUntraced(function* (range) {
      yield* facts.take("accounts", range.bucket, (fact) => {
        if (fact.kind === "answer") answers.add(fact.answer, fact.id)
      })
      const rows: Array<Account> = []
      yield* eachIn(accountRows, range, (account) => rows.push(account))
      for (const account of rows) {
        const { createdAt, id, name } = account
        ids.row("accounts", id)
        times.add({ accountId: id }, { createdAt })
        answers.created(id, { id, name, createdAt }, createdAt)
        const found = yield* accounts.findByName(nameKey(name))
        names.expect(found?.id === id, () => ({ accountId: id, name, foundByName: found?.id ?? null }))
      }
      answers.finish()
    })
  )
  yield* eachPage(
    apiKeys.scan,
    beforeAll,
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
