import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer } from "../../../test/support/TestServer.ts"

describe("credentials", () => {
  it.effect("given a key with any one character changed, then it is rejected", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const key = yield* server.keyWith(["pets:read"])
      assert.strictEqual((yield* server.send("GET", "/v1/pets", { key })).status, 200)
      for (let place = 0; place < key.length; place++) {
        const other = key[place] === "x" ? "y" : "x"
        const changed = key.slice(0, place) + other + key.slice(place + 1)
        const reply = yield* server.send("GET", "/v1/pets", { key: changed })
        assert.deepInclude(reply.body, { code: "invalid_api_key", status: 401 }, changed)
        assert.strictEqual(reply.headers.get("www-authenticate"), 'Bearer realm="petstore", error="invalid_token"')
      }
    })
  )

  it.effect("given credentials of another form than Bearer, then they are rejected", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const { adminKey } = server
      for (const authorization of [
        "",
        adminKey,
        "Bearer",
        "Bearer ",
        `Basic ${adminKey}`,
        `Bearer ${adminKey} x`,
        `Bearer "${adminKey}"`,
        `Bearer${adminKey}`,
        `Bearer ${"x".repeat(10_000)}=x`
      ]) {
        const reply = yield* server.send("GET", "/v1/pets", { key: undefined, headers: { authorization } })
        assert.deepInclude(reply.body, { code: "unauthenticated", status: 401 }, authorization)
      }
      for (const authorization of [`bearer ${adminKey}`, `BEARER   ${adminKey}`]) {
        assert.strictEqual(
          (yield* server.send("GET", "/v1/pets", { key: undefined, headers: { authorization } })).status,
          200
        )
      }
      const long = yield* server.send("GET", "/v1/pets", { key: "x".repeat(10_000) })
      assert.deepInclude(long.body, { code: "invalid_api_key" })
    })
  )
})
