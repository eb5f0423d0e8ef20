import type { ApiKeyRecord } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { assertEqual, assertTrue } from "../check.ts"
import { storageCases } from "./cases.ts"
import { at, digest, newAccount, newApiKey } from "./rows.ts"
import type { Store } from "./StorageFixture.ts"

type NewKey = Parameters<typeof newApiKey>[1]

const givenAccount = (store: Store) => store.transact(store.accounts.insert(newAccount("Shop")))

const givenKey = (store: Store, accountId: number, key?: NewKey) =>
  store.transact(
    Effect.map(store.apiKeys.insert(newApiKey(accountId, key)), (id): ApiKeyRecord => {
      const record = newApiKey(accountId, key)
      return { ...record, key: { ...record.key, id } }
    })
  )

const revoke = (store: Store, record: ApiKeyRecord) => store.transact(store.apiKeys.save({ ...record, revoked: true }))

export const apiKeyCases = storageCases("storage: API keys", {
  "an API key is found as it was added, with only the fields it has, with and without a lock": (store) =>
    Effect.gen(function* () {
      const accountId = yield* givenAccount(store)
      const keys: ReadonlyArray<NewKey> = [
        {},
        { name: "Kasse 🐶", scopes: ["orders:read", "admin"], expiresAt: at(60), lastUsedAt: at(5) }
      ]
      for (const key of keys) {
        const record = yield* givenKey(store, accountId, key)
        assertEqual(yield* store.apiKeys.find(record.key.id), record)
        assertEqual(yield* store.transact(store.apiKeys.lock(record.key.id)), record)
      }
      assertEqual(yield* store.apiKeys.find(99), undefined)
      assertEqual(yield* store.transact(store.apiKeys.lock(99)), undefined)
    }),

  "a key keeps the digest of its previous secret until it is removed": (store) =>
    Effect.gen(function* () {
      const { previous: _none, ...record } = yield* givenKey(store, yield* givenAccount(store))
      const rotated = { ...record, digest: digest(8), previous: { digest: record.digest, until: at(60) } }
      yield* store.transact(store.apiKeys.save(rotated))
      assertEqual(yield* store.apiKeys.find(record.key.id), rotated)
      yield* store.transact(store.apiKeys.save(record))
      assertEqual(yield* store.apiKeys.find(record.key.id), record)
    }),

  "changing a digest after it was saved or read does not change the key": (store) =>
    Effect.gen(function* () {
      const own = digest(7)
      const record = { ...newApiKey(yield* givenAccount(store)), digest: own }
      const id = yield* store.transact(store.apiKeys.insert(record))
      own.fill(1)
      const read = yield* store.apiKeys.find(id)
      read?.digest.fill(2)
      assertEqual((yield* store.apiKeys.find(id))?.digest, digest(7))
    }),

  "a revoked key is not found or listed, and its id is never reused": (store) =>
    Effect.gen(function* () {
      const accountId = yield* givenAccount(store)
      const record = yield* givenKey(store, accountId)
      yield* revoke(store, record)
      assertEqual(yield* store.apiKeys.find(record.key.id), undefined)
      assertEqual(yield* store.transact(store.apiKeys.lock(record.key.id)), undefined)
      assertEqual(yield* store.apiKeys.list(0, 10), [])
      const next = yield* givenKey(store, accountId)
      assertTrue(next.key.id !== record.key.id, `${next.key.id} is not an id that was used before`)
    }),

  "keys are listed in ascending id, after the given one and up to the limit": (store) =>
    Effect.gen(function* () {
      const accountId = yield* givenAccount(store)
      const records: Array<ApiKeyRecord> = []
      for (const name of ["d", "c", "b", "a"]) records.push(yield* givenKey(store, accountId, { name }))
      const [first, second, third, fourth] = records
      if (second !== undefined) yield* revoke(store, second)
      assertEqual(yield* store.apiKeys.list(0, 2), [first, third])
      assertEqual(yield* store.apiKeys.list(third?.key.id ?? 0, 2), [fourth])
      assertEqual(yield* store.apiKeys.list(fourth?.key.id ?? 0, 2), [])
    }),

  "touching a key records when it was used and changes nothing else": (store) =>
    Effect.gen(function* () {
      const accountId = yield* givenAccount(store)
      const record = yield* givenKey(store, accountId)
      const other = yield* givenKey(store, accountId)
      yield* store.transact(store.apiKeys.touch(record.key.id, at(90)))
      assertEqual(yield* store.apiKeys.find(record.key.id), { ...record, key: { ...record.key, lastUsedAt: at(90) } })
      assertEqual(yield* store.apiKeys.find(other.key.id), other)
    }),

  "another admin key counts only if it has the scope, is not revoked and has not expired": (store) =>
    Effect.gen(function* () {
      const accountId = yield* givenAccount(store)
      const others = (id: number, seconds = 10) => store.transact(store.apiKeys.otherAdminExists(id, at(seconds)))
      assertEqual(yield* others(0), false)
      const reader = yield* givenKey(store, accountId, { scopes: ["pets:read", "orders:write"] })
      assertEqual(yield* others(0), false)
      const admin = yield* givenKey(store, accountId, { scopes: ["admin"] })
      assertEqual(yield* others(0), true)
      assertEqual(yield* others(reader.key.id), true)
      assertEqual(yield* others(admin.key.id), false)
      const guest = yield* givenKey(store, accountId, { scopes: ["pets:read", "admin"], expiresAt: at(20) })
      assertEqual(yield* others(admin.key.id, 19), true)
      assertEqual(yield* others(admin.key.id, 20), false)
      assertEqual(yield* others(guest.key.id, 20), true)
      yield* revoke(store, admin)
      assertEqual(yield* others(guest.key.id), false)
      assertEqual(yield* others(0), true)
    }),

  "of two admin keys that are revoked concurrently, one stays": (store, { openAnother }) =>
    Effect.gen(function* () {
      const accountId = yield* givenAccount(store)
      const another = yield* openAnother(store)
      const keys = [
        { one: store, record: yield* givenKey(store, accountId, { scopes: ["admin"] }) },
        { one: another, record: yield* givenKey(store, accountId, { scopes: ["admin"] }) }
      ]
      const exits = yield* Effect.forEach(
        keys,
        ({ one, record }) =>
          Effect.exit(
            one.transact(
              Effect.gen(function* () {
                yield* one.apiKeys.lock(record.key.id)
                if (!(yield* one.apiKeys.otherAdminExists(record.key.id, at(10)))) return yield* Effect.fail("last")
                yield* one.apiKeys.save({ ...record, revoked: true })
              })
            )
          ),
        { concurrency: "unbounded" }
      )
      assertEqual(exits.map(({ _tag }) => _tag).sort(), ["Failure", "Success"])
      assertEqual((yield* store.apiKeys.list(0, 10)).length, 1)
    })
})
