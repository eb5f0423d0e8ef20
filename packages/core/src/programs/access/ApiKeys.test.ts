import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as TestClock from "effect/testing/TestClock"
import { withLockChecks } from "../../../../../laboratory/locks/withLockChecks.ts"
import { untyped } from "../../../testing/src/untyped.ts"
import { crc32, formatToken, parseToken } from "../../domain/access/ApiKeyToken.ts"
import { StorageFull } from "../../domain/errors/ServiceErrors.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage } from "../../ports/Storage.ts"
import type { Runtime } from "../../runtime/Runtime.ts"
import { UseCaseRunner } from "../../runtime/UseCaseRunner.ts"
import { useCases } from "../../runtime/useCases.ts"
import { type ApiKeyRecord, apiKeys } from "../../tables/accessTables.ts"
import { Commands } from "../Commands.ts"
import { ApiKeys } from "./ApiKeys.ts"

const fresh = <A, E>(body: Effect.Effect<A, E, Runtime | Petstore | Storage>) =>
  Effect.suspend(() => Effect.provide(body, Petstore.layer(withLockChecks(memory()))))

const theKeys = Effect.gen(function* () {
  return { ...(yield* ApiKeys), ...(yield* Petstore).apiKeys }
})

/** A key of account 1 that may read. */
const aKey = (fields: { readonly expiresAt?: string } = {}) =>
  Effect.gen(function* () {
    const { accounts, apiKeys } = yield* Petstore
    if ((yield* accounts.list()).items.length === 0) yield* accounts.create({ name: "Shop" })
    return yield* apiKeys.create({ accountId: 1, name: "Till", preset: "read", ...fields })
  })

const authenticate = (token: string) => Effect.flatMap(ApiKeys, (keys) => keys.authenticate(token))

/** Whether a token is accepted; each refusal must be the same. */
const isAccepted = (token: string) =>
  Effect.match(authenticate(token), {
    onSuccess: () => true,
    onFailure: (error) => {
      assert.deepStrictEqual(
        { code: error.code, status: error.status, message: error.message, details: error.details },
        { code: "invalid_api_key", status: 401, message: "The API key is not valid.", details: {} }
      )
      return false
    }
  })

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const replacements = `${alphabet}_- \u0000é`

describe("given a store without an admin key", () => {
  it.effect("when a first key is made twice, then the second time none is", () =>
    fresh(
      Effect.gen(function* () {
        const { createFirst } = yield* theKeys
        const { accounts } = yield* Petstore
        yield* accounts.create({ name: "Shop" })
        const input = { accountId: 1, name: "Root", preset: "admin" } as const
        const first = yield* createFirst(input)
        assert.strictEqual(first?.name, "Root")
        assert.isUndefined(yield* createFirst(input))
      })
    )
  )
})

describe("given a key", () => {
  it.effect("when its token is sent, then it is the key of that token, without the secret", () =>
    fresh(
      Effect.gen(function* () {
        const { key: token, ...key } = yield* aKey()
        assert.deepStrictEqual(yield* authenticate(token), key)
      })
    )
  )

  it.effect("when the clock runs ahead of its end and is set back, then it works again", () =>
    fresh(
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-01-01T00:00:00Z"))
        const { id, key: token } = yield* aKey({ expiresAt: "2026-06-01T00:00:00.000Z" })
        yield* TestClock.setTime(Date.parse("2027-01-01T00:00:00Z"))
        assert.isFalse(yield* isAccepted(token))
        yield* TestClock.setTime(Date.parse("2026-01-01T00:01:00Z"))
        assert.isTrue(yield* isAccepted(token))
        // What is written down after the jump is of the right time as well: a secret's grace and its last use.
        const { key: next } = yield* (yield* theKeys).rotate(id, { graceSeconds: 60 })
        assert.isTrue(yield* isAccepted(token))
        yield* TestClock.setTime(Date.parse("2026-01-01T00:02:01Z"))
        assert.deepStrictEqual([yield* isAccepted(token), yield* isAccepted(next)], [false, true])
        yield* TestClock.adjust(0)
        const { find } = yield* Storage
        assert.strictEqual((yield* find(apiKeys, id))?.key.lastUsedAt, "2026-01-01T00:02:01.000Z")
      })
    )
  )

  it.effect("when any one character of its token is changed, left out or doubled, then it is rejected", () =>
    fresh(
      Effect.gen(function* () {
        const { key: token } = yield* aKey()
        let tried = 0
        for (let at = 0; at < token.length; at++) {
          const [before, after] = [token.slice(0, at), token.slice(at + 1)]
          const changed = [...replacements]
            .filter((other) => other !== token[at])
            .map((other) => before + other + after)
          for (const other of [...changed, before + after, before + token[at] + token.slice(at)]) {
            if (other === token) continue
            tried++
            assert.isFalse(yield* isAccepted(other), other)
          }
        }
        assert.isAtLeast(tried, token.length * alphabet.length)
      })
    )
  )

  it.effect("when a token of its id with a valid checksum and another secret is sent, then it is rejected", () =>
    fresh(
      Effect.gen(function* () {
        const { id, key: token } = yield* aKey()
        const other = yield* aKey()
        const secret = parseToken(other.key)?.secret ?? ""
        const body = `psk_${id}_${secret}`
        let checksum = ""
        for (let rest = crc32(body); checksum.length < 6; rest = Math.floor(rest / 62)) {
          checksum = alphabet[rest % 62] + checksum
        }
        assert.isDefined(parseToken(body + checksum))
        assert.isFalse(yield* isAccepted(body + checksum))
        assert.isTrue(yield* isAccepted(token))
      })
    )
  )

  it.effect("when something that is no token is sent, then it is rejected", () =>
    fresh(
      Effect.gen(function* () {
        const { key: token } = yield* aKey()
        const others = ["", " ", "psk_", "null", `Bearer ${token}`, ` ${token}`, `${token}\n`, token.toUpperCase()]
        for (const other of [...others, token + token, "x".repeat(100_000)]) assert.isFalse(yield* isAccepted(other))
      })
    )
  )

  it.effect("when it is revoked, then it is rejected at once, and its previous secret too", () =>
    fresh(
      Effect.gen(function* () {
        const keys = yield* theKeys
        const { id, key: old } = yield* aKey()
        const { key } = yield* keys.rotate(id)
        yield* keys.revoke(id)
        assert.deepStrictEqual([yield* isAccepted(key), yield* isAccepted(old)], [false, false])
      })
    )
  )

  it.effect("when the time of its end has come, then it is rejected, and not a millisecond before", () =>
    fresh(
      Effect.gen(function* () {
        const { key: token } = yield* aKey({ expiresAt: "1970-01-01T01:00:00.000Z" })
        yield* TestClock.setTime(3_599_999)
        assert.isTrue(yield* isAccepted(token))
        yield* TestClock.setTime(3_600_000)
        assert.isFalse(yield* isAccepted(token))
      })
    )
  )

  it.effect("when it is to end now or earlier, then it is not made, whatever else is wrong with it", () =>
    fresh(
      Effect.gen(function* () {
        const keys = yield* theKeys
        yield* TestClock.setTime(3_600_000)
        for (const expiresAt of ["1970-01-01T01:00:00.000Z", "1970-01-01T00:59:59.999Z", "0001-01-01T00:00:00.000Z"]) {
          const error = yield* Effect.flip(keys.create({ accountId: 1, name: "Till", preset: "read", expiresAt }))
          assert.strictEqual(error.code, "validation_failed")
          assert.deepStrictEqual(error.violations, [
            { path: "/body/expiresAt", message: "Expected a time in the future" }
          ])
        }
        yield* aKey({ expiresAt: "1970-01-01T01:00:00.001Z" })
        assert.lengthOf((yield* keys.list()).items, 1)
      })
    )
  )

  it.effect("when it has expired, then rotating it does not bring it back", () =>
    fresh(
      Effect.gen(function* () {
        const keys = yield* theKeys
        const { id, key: old } = yield* aKey({ expiresAt: "1970-01-01T01:00:00.000Z" })
        yield* TestClock.adjust("2 hours")
        const { key } = yield* keys.rotate(id)
        assert.deepStrictEqual([yield* isAccepted(key), yield* isAccepted(old)], [false, false])
      })
    )
  )
})

describe("given a key that is rotated", () => {
  it.effect("when no grace period is given, then the old secret stays valid for 24 hours", () =>
    fresh(
      Effect.gen(function* () {
        const keys = yield* theKeys
        const { id, key: old } = yield* aKey()
        const { key } = yield* keys.rotate(id)
        assert.deepStrictEqual([yield* isAccepted(key), yield* isAccepted(old)], [true, true])
        yield* TestClock.adjust(24 * 60 * 60 * 1_000 - 1)
        assert.deepStrictEqual([yield* isAccepted(key), yield* isAccepted(old)], [true, true])
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual([yield* isAccepted(key), yield* isAccepted(old)], [true, false])
      })
    )
  )

  it.effect("when a time is given, then the old secret works that long", () =>
    fresh(
      Effect.gen(function* () {
        const keys = yield* theKeys
        const { id, key: old } = yield* aKey()
        const { key } = yield* keys.rotate(id, { graceSeconds: 60 })
        yield* TestClock.adjust(59_999)
        assert.isTrue(yield* isAccepted(old))
        yield* TestClock.adjust(1)
        assert.deepStrictEqual([yield* isAccepted(key), yield* isAccepted(old)], [true, false])
      })
    )
  )

  it.effect("when it is given no time, then the old secret ends at once", () =>
    fresh(
      Effect.gen(function* () {
        const keys = yield* theKeys
        const { id, key: old } = yield* aKey()
        const { key } = yield* keys.rotate(id, { graceSeconds: 0 })
        assert.deepStrictEqual([yield* isAccepted(key), yield* isAccepted(old)], [true, false])
      })
    )
  )

  it.effect("when it is rotated again, then only the last two secrets work", () =>
    fresh(
      Effect.gen(function* () {
        const keys = yield* theKeys
        const { id, key: first } = yield* aKey()
        const { key: second } = yield* keys.rotate(id)
        const { key: third } = yield* keys.rotate(id)
        const accepted = yield* Effect.forEach([first, second, third], isAccepted)
        assert.deepStrictEqual(accepted, [false, true, true])
      })
    )
  )

  it.effect("when it is rotated again without time, then a secret in its time of grace ends too", () =>
    fresh(
      Effect.gen(function* () {
        const keys = yield* theKeys
        const { id, key: first } = yield* aKey()
        const { key: second } = yield* keys.rotate(id)
        const { key: third } = yield* keys.rotate(id, { graceSeconds: 0 })
        const accepted = yield* Effect.forEach([first, second, third], isAccepted)
        assert.deepStrictEqual(accepted, [false, false, true])
      })
    )
  )
})

describe("given a key whose token was accepted before", () => {
  it.effect("when it is revoked, then it is rejected at once", () =>
    fresh(
      Effect.gen(function* () {
        const keys = yield* theKeys
        const { id, key } = yield* aKey()
        const before = [yield* isAccepted(key), yield* isAccepted(key)]
        yield* keys.revoke(id)
        assert.deepStrictEqual([...before, yield* isAccepted(key), yield* isAccepted(key)], [true, true, false, false])
      })
    )
  )

  it.effect("when its secret is replaced, then the old one ends with its time of grace, and no sooner", () =>
    fresh(
      Effect.gen(function* () {
        const keys = yield* theKeys
        const { id, key: old } = yield* aKey()
        const accepted = [yield* isAccepted(old)]
        const { key } = yield* keys.rotate(id, { graceSeconds: 60 })
        accepted.push(yield* isAccepted(old), yield* isAccepted(key), yield* isAccepted(key))
        yield* TestClock.adjust("59 seconds")
        accepted.push(yield* isAccepted(old))
        yield* TestClock.adjust("1 second")
        accepted.push(yield* isAccepted(old), yield* isAccepted(key))
        assert.deepStrictEqual(accepted, [true, true, true, true, true, false, true])
      })
    )
  )

  it.effect("when it expires, then it is rejected", () =>
    fresh(
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-01-01T00:00:00Z"))
        const { key } = yield* aKey({ expiresAt: "2026-01-01T00:00:10.000Z" })
        const accepted = [yield* isAccepted(key), yield* isAccepted(key)]
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual([...accepted, yield* isAccepted(key)], [true, true, false])
      })
    )
  )

  it.effect("when a token with the same id is guessed, then it is rejected", () =>
    fresh(
      Effect.gen(function* () {
        const { id, key } = yield* aKey()
        const { key: other } = yield* aKey()
        assert.isTrue(yield* isAccepted(key))
        assert.isFalse(yield* isAccepted(formatToken(id, parseToken(other)?.secret ?? "")))
        assert.isFalse(yield* isAccepted(`${key}0`))
        assert.isFalse(yield* isAccepted(key.padEnd(10_000, "0")))
        assert.isTrue(yield* isAccepted(key))
      })
    )
  )
})

describe("given a store that caches keys", () => {
  const caching = (
    store: Storage["Service"],
    cached: (id: number) => Effect.Effect<ApiKeyRecord | undefined>
  ): Storage["Service"] => ({
    ...store,
    // Nothing but keys is read from the cache.
    findCached: (_, id) => untyped(cached(Number(id)))
  })

  /** Runs with a cache that has the key as it was when this began. */
  const withStaleCache = <A, E>(id: number, body: Effect.Effect<A, E, Runtime | Petstore | Storage>) =>
    Effect.gen(function* () {
      const store = yield* Storage
      const before = yield* store.find(apiKeys, id)
      const stale = caching(store, () => Effect.succeed(before))
      return yield* body.pipe(Effect.provide(ApiKeys.layer), Effect.provideService(Storage, stale))
    })

  it.effect("when another process has just set a new secret, then it works at once", () =>
    fresh(
      Effect.gen(function* () {
        const { id, key: old } = yield* aKey()
        const accepted = yield* withStaleCache(
          id,
          Effect.gen(function* () {
            const { key } = yield* (yield* theKeys).rotate(id, { graceSeconds: 0 })
            return [yield* isAccepted(key), yield* isAccepted(old)]
          })
        )
        assert.deepStrictEqual(accepted, [true, true])
      })
    )
  )

  it.effect(
    "when a request arrives whose key is at hand, then it takes no fiber, until the key is revoked or its use is to be recorded",
    () =>
      fresh(
        Effect.gen(function* () {
          const { id, key } = yield* aKey()
          const store = yield* Storage
          let record = yield* store.find(apiKeys, id)
          const withKey = caching(store, () => Exit.succeed(record))
          const arrival = { group: {}, clock: yield* Clock.Clock }
          const seen = yield* Effect.gen(function* () {
            const apiKeys = yield* theKeys
            const authenticate = () => apiKeys.authenticate(key, arrival)
            const isAtHand = () => Exit.isExit(authenticate())
            const first = isAtHand()
            yield* authenticate()
            const second = isAtHand()
            yield* TestClock.adjust("61 seconds")
            const later = isAtHand()
            yield* authenticate()
            yield* apiKeys.revoke(id)
            record = undefined
            return [first, second, later, Exit.isFailure(yield* Effect.exit(authenticate()))]
          }).pipe(Effect.provide(ApiKeys.layer), Effect.provideService(Storage, withKey))
          assert.deepStrictEqual(seen, [false, true, false, true])
        })
      )
  )

  it.effect("when a key at hand has expired or has another secret, then a request that arrives is rejected", () =>
    fresh(
      Effect.gen(function* () {
        const store = yield* Storage
        const expiring = yield* aKey({ expiresAt: "1970-01-01T00:00:30.000Z" })
        const [rotated, graced] = [yield* aKey(), yield* aKey()]
        const records = new Map<number, ApiKeyRecord | undefined>()
        const withKeys = caching(store, (id) => Exit.succeed(records.get(id)))
        // Frozen, as those of a store with a cache are.
        const read = (...ids: ReadonlyArray<number>) =>
          Effect.forEach(ids, (id) =>
            Effect.map(store.find(apiKeys, id), (record) => records.set(id, record && Object.freeze(record)))
          )
        const arrival = { group: {}, clock: yield* Clock.Clock }
        yield* Effect.gen(function* () {
          const apiKeys = yield* theKeys
          const isAccepted = ({ key }: { readonly key: string }) =>
            Effect.map(Effect.exit(apiKeys.authenticate(key, arrival)), Exit.isSuccess)
          const all = Effect.suspend(() => Effect.forEach([expiring, rotated, graced], isAccepted))
          yield* apiKeys.rotate(graced.id, { graceSeconds: 30 })
          yield* read(expiring.id, rotated.id, graced.id)
          const accepted = [true, true, true]
          assert.deepStrictEqual([yield* all, yield* all], [accepted, accepted])
          yield* apiKeys.rotate(rotated.id, { graceSeconds: 0 })
          yield* TestClock.adjust("30 seconds")
          yield* read(rotated.id)
          assert.deepStrictEqual(yield* all, [false, false, false])
        }).pipe(Effect.provide(ApiKeys.layer), Effect.provideService(Storage, withKeys))
      })
    )
  )

  it.effect("when a secret was never valid, then it is rejected", () =>
    fresh(
      Effect.gen(function* () {
        const { id } = yield* aKey()
        const { key: other } = yield* aKey()
        const secret = parseToken(other)?.secret ?? ""
        const body = `psk_${id}_${secret}`
        let checksum = ""
        for (let rest = crc32(body); checksum.length < 6; rest = Math.floor(rest / 62)) {
          checksum = alphabet[rest % 62] + checksum
        }
        assert.isFalse(yield* withStaleCache(id, isAccepted(body + checksum)))
      })
    )
  )
})

describe("given a key that is used", () => {
  const lastUsedAt = (id: number) =>
    Effect.flatMap(theKeys, (keys) => Effect.map(keys.get(id), (key) => key.lastUsedAt))

  /** Lets the note of the use be written, which no request waits for. */
  const use = (token: string) => Effect.andThen(authenticate(token), TestClock.adjust(0))

  it.effect("when it was never used, then it has no time of use", () =>
    fresh(
      Effect.gen(function* () {
        const { id } = yield* aKey()
        assert.isUndefined(yield* lastUsedAt(id))
      })
    )
  )

  it.effect("when it is used again within a minute, then the first use is recorded, and later the next", () =>
    fresh(
      Effect.gen(function* () {
        const { id, key: token } = yield* aKey()
        yield* TestClock.setTime(1_000)
        yield* use(token)
        assert.strictEqual(yield* lastUsedAt(id), "1970-01-01T00:00:01.000Z")
        yield* TestClock.setTime(60_999)
        yield* use(token)
        assert.strictEqual(yield* lastUsedAt(id), "1970-01-01T00:00:01.000Z")
        yield* TestClock.setTime(61_000)
        yield* use(token)
        assert.strictEqual(yield* lastUsedAt(id), "1970-01-01T00:01:01.000Z")
      })
    )
  )

  it.effect("when a wrong secret is sent, then that is no use", () =>
    fresh(
      Effect.gen(function* () {
        const keys = yield* theKeys
        const { id, key: old } = yield* aKey()
        yield* keys.rotate(id, { graceSeconds: 0 })
        assert.isFalse(yield* isAccepted(old))
        yield* TestClock.adjust("2 minutes")
        assert.isUndefined(yield* lastUsedAt(id))
      })
    )
  )

  it.effect("when the note cannot be written, then the key is accepted all the same", () =>
    fresh(
      Effect.gen(function* () {
        const { key: token } = yield* aKey()
        const store = yield* Storage
        let failed = 0
        const full = Effect.suspend(() => {
          failed++
          return Effect.fail(new StorageFull({}))
        })
        const failing = { ...store, run: () => full } satisfies typeof store
        const accepted = yield* isAccepted(token).pipe(
          Effect.provide(ApiKeys.layer),
          Effect.provide(Commands.layer()),
          Effect.provideService(Storage, failing)
        )
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual([accepted, failed], [true, 1])
      })
    )
  )
})

describe("given admin keys", () => {
  const admin = (fields: { readonly expiresAt?: string } = {}) =>
    Effect.flatMap(theKeys, (keys) => keys.create({ accountId: 1, name: "Admin", preset: "admin", ...fields }))

  const hasAdmin = Effect.flatMap(ApiKeys, (keys) => keys.hasAdmin)

  it.effect("when none was ever made, then there is none", () =>
    fresh(
      Effect.gen(function* () {
        yield* aKey()
        assert.isFalse(yield* hasAdmin)
        yield* admin()
        assert.isTrue(yield* hasAdmin)
      })
    )
  )

  it.effect("when the other one expires, then the first can no longer be revoked", () =>
    fresh(
      Effect.gen(function* () {
        yield* aKey()
        const keys = yield* theKeys
        const { id } = yield* admin()
        yield* admin({ expiresAt: "1970-01-01T00:01:00.000Z" })
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* Effect.flip(keys.revoke(id))).code, "last_admin_key")
      })
    )
  )

  const day = 24 * 60 * 60 * 1_000
  const inDays = (days: number) => new Date(days * day).toISOString()
  const revoke = (id: number, options = {}) =>
    Effect.flatMap(UseCaseRunner, ({ call }) =>
      Effect.match(call(useCases.apiKeys.revoke, id, options), {
        onSuccess: () => "revoked",
        onFailure: ({ code }) => code
      })
    )

  for (const { first, second, outcome } of [
    { first: undefined, second: 1 / day, outcome: "last_admin_key" },
    { first: undefined, second: 7, outcome: "last_admin_key" },
    { first: undefined, second: 7 + 1 / day, outcome: "revoked" },
    { first: undefined, second: undefined, outcome: "revoked" },
    { first: 30, second: 7, outcome: "last_admin_key" },
    { first: 30, second: 8, outcome: "revoked" },
    { first: 3, second: 3 - 1 / day, outcome: "last_admin_key" },
    { first: 3, second: 3, outcome: "revoked" },
    { first: 3, second: undefined, outcome: "revoked" }
  ]) {
    const named = (days: number | undefined) => (days === undefined ? "never ends" : `ends in ${days} days`)
    it.effect(
      `when one that ${named(first)} is revoked and the other ${named(second)}, then the outcome is ${outcome}`,
      () =>
        fresh(
          Effect.gen(function* () {
            yield* aKey()
            const { id } = yield* admin(first === undefined ? {} : { expiresAt: inDays(first) })
            yield* admin(second === undefined ? {} : { expiresAt: inDays(second) })
            assert.strictEqual(yield* revoke(id), outcome)
            const left = yield* Effect.flatMap(theKeys, (keys) => keys.list())
            assert.strictEqual(
              left.items.some((key) => key.id === id),
              outcome !== "revoked"
            )
          })
        )
    )
  }

  it.effect("when the last one has expired, then it is revoked like any other", () =>
    fresh(
      Effect.gen(function* () {
        yield* aKey()
        const { id } = yield* admin({ expiresAt: inDays(1) })
        assert.strictEqual(yield* revoke(id), "last_admin_key")
        yield* TestClock.adjust(day)
        assert.strictEqual(yield* revoke(id), "revoked")
      })
    )
  )

  it.effect("when the last one is rotated without grace, then it counts as the last one as before", () =>
    fresh(
      Effect.gen(function* () {
        yield* aKey()
        const { id } = yield* admin()
        const { key } = yield* (yield* theKeys).rotate(id, { graceSeconds: 0 })
        assert.strictEqual(yield* revoke(id), "last_admin_key")
        assert.isTrue(yield* isAccepted(key))
      })
    )
  )

  it.effect("when there is an admin outside the store, then the last one is revoked", () =>
    fresh(
      Effect.gen(function* () {
        yield* aKey()
        const { id } = yield* admin()
        assert.strictEqual(yield* revoke(id, { adminOutsideStore: false }), "last_admin_key")
        assert.strictEqual(yield* revoke(id, { adminOutsideStore: true }), "revoked")
        assert.strictEqual(yield* revoke(id, { adminOutsideStore: true }), "not_found")
      })
    )
  )

  it.effect("when all have expired, then there is none", () =>
    fresh(
      Effect.gen(function* () {
        yield* aKey()
        yield* admin({ expiresAt: "1970-01-01T00:01:00.000Z" })
        assert.isTrue(yield* hasAdmin)
        yield* TestClock.adjust("1 minute")
        assert.isFalse(yield* hasAdmin)
      })
    )
  )
})
