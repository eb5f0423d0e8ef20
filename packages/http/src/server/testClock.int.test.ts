import { assert, describe, it } from "@effect/vitest"
import { createHandler } from "@petstore/http"
import { createStockedPet, testPetstore } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { expectLogs } from "../../../core/test/support/expectLogs.ts"
import { storagesOfFile } from "../../test/support/remote.ts"

expectLogs("uses GET /v1/pets/{petId}")

const storages = storagesOfFile()

const json = { "content-type": "application/json" }

/** A handler on a petstore whose clock the test moves, begun at this time. It logs nothing. */
const opened = (
  storage: (typeof storages)["memory"],
  now: string,
  end: { readonly expiresAt?: string } = { expiresAt: "2031-01-01T00:00:00Z" }
) =>
  Effect.gen(function* () {
    const { layer, ...adapter } = yield* storage
    const petstore = yield* Effect.acquireRelease(
      Effect.promise(() =>
        testPetstore({ now, seed: 1, storage: { ...adapter, layer: Layer.merge(layer, Logger.layer([])) } })
      ),
      (open) => Effect.promise(() => open.close())
    )
    const handler = yield* Effect.acquireRelease(
      Effect.sync(() => createHandler(petstore)),
      (open) => Effect.promise(() => open.close())
    )
    const { id: accountId } = yield* Effect.promise(() => petstore.accounts.create({ name: "Shop" }))
    const { id: keyId, key } = yield* Effect.promise(() =>
      petstore.apiKeys.create({ accountId, name: "Till", preset: "write", ...end })
    )
    const send = (
      method: string,
      path: string,
      { body, ...more }: { body?: string; "idempotency-key"?: string } = {}
    ) =>
      Effect.promise(() =>
        handler.fetch(
          new Request(`http://petstore.test/v1${path}`, {
            method,
            headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : json), ...more },
            ...(body === undefined ? {} : { body })
          })
        )
      )
    const at = (time: string) => Effect.promise(() => petstore.clock.set(time))
    return { petstore, keyId, send, at }
  })

for (const [name, storage] of Object.entries(storages)) {
  describe(`given a handler on a petstore for tests, on ${name}`, () => {
    it.effect("when the clock passes the end of a key, then the key is rejected", () =>
      Effect.gen(function* () {
        const { at, petstore, send } = yield* opened(storage, "2030-12-31T23:59:59.999Z")
        assert.strictEqual((yield* send("GET", "/pets")).status, 200)
        // Behind the command that records its use, its row stays at hand.
        yield* Effect.promise(() => petstore.categories.create({ name: "Dogs" }))
        for (let n = 0; n < 3; n++) assert.strictEqual((yield* send("GET", "/pets")).status, 200)
        yield* at("2031-01-01T00:00:00Z")
        assert.strictEqual((yield* send("GET", "/pets")).status, 401)
      })
    )

    it.effect("when the clock passes the grace of a secret that was rotated, then the secret is rejected", () =>
      Effect.gen(function* () {
        const { at, keyId, petstore, send } = yield* opened(storage, "2030-01-01T00:00:00Z", {})
        for (let n = 0; n < 3; n++) assert.strictEqual((yield* send("GET", "/pets")).status, 200)
        yield* Effect.promise(() => petstore.apiKeys.rotate(keyId, { graceSeconds: 10 }))
        for (let n = 0; n < 3; n++) assert.strictEqual((yield* send("GET", "/pets")).status, 200)
        yield* at("2030-01-01T00:00:11Z")
        assert.strictEqual((yield* send("GET", "/pets")).status, 401)
      })
    )

    it.effect("when the clock passes the sunset of an operation, then it responds with 410", () =>
      Effect.gen(function* () {
        const { at, petstore, send } = yield* opened(storage, "2030-12-04T23:59:59.999Z")
        const { id } = yield* Effect.promise(() => createStockedPet(petstore))
        assert.strictEqual((yield* send("GET", `/pets/${id}`)).status, 200)
        yield* at("2030-12-05T00:00:00Z")
        assert.strictEqual((yield* send("GET", `/pets/${id}`)).status, 410)
      })
    )

    it.effect("when the clock passes 7 days, then an idempotency key is new again", () =>
      Effect.gen(function* () {
        const { at, send } = yield* opened(storage, "2030-01-01T00:00:00Z")
        const order = { body: "{}", "idempotency-key": "order-1" }
        const first = yield* send("POST", "/store/orders", order)
        yield* at("2030-01-07T23:59:59.999Z")
        const again = yield* send("POST", "/store/orders", order)
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
        assert.strictEqual(again.headers.get("location"), first.headers.get("location"))
        yield* at("2030-01-08T00:00:00Z")
        const anew = yield* send("POST", "/store/orders", order)
        assert.isNull(anew.headers.get("idempotent-replayed"))
        assert.notStrictEqual(anew.headers.get("location"), first.headers.get("location"))
      })
    )
  })
}
