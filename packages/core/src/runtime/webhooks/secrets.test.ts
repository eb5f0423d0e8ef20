import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { noticed } from "../../../test/support/writes.ts"
import { parseToken } from "../../domain/access/ApiKeyToken.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage } from "../../ports/Storage.ts"
import { ApiKeys } from "../../programs/access/ApiKeys.ts"
import { portableHasher } from "../portableHasher.ts"

type Store = Storage["Service"]

/** Notes every argument of every operation. */
const noting = <Operations extends object>(operations: Operations, given: Array<unknown>): Operations =>
  new Proxy(operations, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      return typeof member !== "function"
        ? member
        : (...input: ReadonlyArray<unknown>): unknown => {
            given.push(input)
            return Reflect.apply(member, target, input)
          }
    }
  })

/** The rows that are inserted get their ids from the store. */
const notingRows = (store: Store, given: Array<unknown>): Store => ({
  ...noting(store, given),
  run: (begin, command) =>
    store.run((tx, context) => noticed(tx, begin(tx, context), (writes) => given.push(...writes)), command),
  events: noting(store.events, given)
})

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** What was given to the store, as text: bytes in hexadecimal and as characters. */
const textOf = (given: ReadonlyArray<unknown>): string =>
  JSON.stringify(given, (_, value: unknown) =>
    value instanceof Uint8Array ? [hex(value), String.fromCharCode(...value)] : value
  )

describe("given API keys that are created, used, rotated and revoked", () => {
  it.effect("then the store receives only the SHA-256 of each secret", () =>
    Effect.gen(function* () {
      const given: Array<unknown> = []
      const adapter = memory()
      const layer = Layer.effect(
        Storage,
        Effect.map(Storage, (store) => notingRows(store, given))
      ).pipe(Layer.provide(adapter.layer))

      const tokens = yield* Effect.gen(function* () {
        const { accounts, apiKeys, messages } = yield* Petstore
        const { authenticate } = yield* ApiKeys
        yield* messages.enqueue("canary")
        const { id: accountId } = yield* accounts.create({ name: "Shop" }, { idempotencyKey: "shop" })
        const first = yield* apiKeys.create({ accountId, name: "Till", preset: "admin" })
        const second = yield* apiKeys.create({ accountId, name: "Door", preset: "read" })
        yield* authenticate(first.key)
        const rotated = yield* apiKeys.rotate(first.id)
        yield* authenticate(first.key)
        yield* authenticate(rotated.key)
        yield* apiKeys.revoke(second.id)
        yield* Effect.flip(authenticate(second.key))
        return [first.key, second.key, rotated.key]
      }).pipe(Effect.provide(Petstore.layer({ ...adapter, layer })))

      const text = textOf(given)
      assert.include(text, "canary", "what the store is given is noted")
      for (const token of tokens) {
        const { secret = "" } = parseToken(token) ?? {}
        assert.lengthOf(secret, 43)
        assert.include(text, hex(portableHasher.sha256(secret)))
        for (const part of [token, secret, secret.slice(0, 16), secret.slice(-16), btoa(secret), btoa(token)]) {
          assert.notInclude(text, part)
        }
      }
    })
  )
})
