import { adminKeysAfter } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { newAccount, newApiKey } from "./rows.ts"

export const apiKeyCases = storageCases("storage: API keys", {
  "of two admin keys that are revoked concurrently, one stays": (store, { openAnother }) =>
    Effect.gen(function* () {
      const accountId = yield* store.transact(store.accounts.insert(newAccount("Shop")))
      const another = yield* openAnother(store)
      const add = store.transact(store.apiKeys.insert(newApiKey(accountId, { scopes: ["admin"] })))
      const keys = [
        { one: store, id: yield* add },
        { one: another, id: yield* add }
      ]
      const exits = yield* Effect.forEach(
        keys,
        ({ id, one }) =>
          Effect.exit(
            one.transact(
              Effect.gen(function* () {
                const record = yield* one.apiKeys.lock(id)
                const admins = yield* one.select(adminKeysAfter, 0, 2)
                if (record === undefined || admins.length < 2) return yield* Effect.fail("last")
                yield* one.apiKeys.save({ ...record, revoked: true })
              })
            )
          ),
        { concurrency: "unbounded" }
      )
      assertEqual(exits.map(({ _tag }) => _tag).sort(), ["Failure", "Success"])
      assertEqual((yield* store.select(adminKeysAfter, 0, 10)).length, 1)
    })
})
