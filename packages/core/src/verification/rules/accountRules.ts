/** Accounts with their API keys and idempotency keys. */

import * as Schema from "effect/Schema"
import { Scope } from "../../access/Scope.ts"
import { compare } from "../Finding.ts"
import type { Rule } from "../Rule.ts"
import { fieldsOf } from "../StoredResults.ts"

const areScopes = Schema.is(Schema.NonEmptyArray(Scope))

export const accountRules: ReadonlyArray<Rule> = [
  {
    name: "idempotency_results",
    demands:
      "The stored result of an idempotency key is that of one creation, and not stored after it; or has the form of what a change or deletion returns. A key of an account has one result, and a creation has one key.",
    check: {
      storedResult: ({ creation, record }) => {
        const { accountId, createdAt, key, operation } = record
        if (creation === undefined) return { accountId, key, operation }
        const found = fieldsOf(record) ?? {}
        const expected = creation.result
        const same = compare(
          { accountId, key, operation },
          Object.fromEntries(
            [...new Set([...Object.keys(found), ...Object.keys(expected)])].sort().map((field) => [field, found[field]])
          ),
          expected
        )
        if (createdAt <= creation.at) return same
        return {
          ...(same === true ? { accountId, key, operation } : same),
          createdAt: { found: createdAt, expected: creation.at }
        }
      }
    }
  },
  {
    name: "account_names",
    demands: "No two accounts have the same name, ignoring case.",
    check: {
      account: ({ account: { id: accountId, name }, found }) =>
        found?.id === accountId || { accountId, name, foundByName: found?.id ?? null }
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
  }
]
