import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { startServer } from "../../../test/support/TestServer.ts"

describe("the rate limit", () => {
  it.effect(
    "given a limit, then every response shows it, and requests beyond it are rejected until the bucket refills",
    () =>
      Effect.gen(function* () {
        const { keyWith, send } = yield* startServer({ rateLimit: 2 })
        const key = yield* keyWith(["pets:read"])
        const get = send("GET", "/v1/pets", { key })
        const first = yield* get
        assert.strictEqual(first.headers.get("ratelimit-policy"), '"default";q=2;w=60')
        assert.strictEqual(first.headers.get("ratelimit"), '"default";r=1;t=30')
        assert.strictEqual((yield* send("GET", "/v1/pets?x=1", { key })).headers.get("ratelimit"), '"default";r=0;t=30')
        const refused = yield* get
        assert.deepInclude(refused.body, { code: "rate_limited", status: 429 })
        assert.strictEqual(refused.headers.get("retry-after"), "30")
        assert.strictEqual(refused.headers.get("ratelimit"), '"default";r=0;t=30')
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual((yield* get).status, 200)
        assert.strictEqual((yield* get).status, 429)
      })
  )

  it.effect("given two keys, then each has its own limit, and requests without a valid key do not count", () =>
    Effect.gen(function* () {
      const { keyWith, send } = yield* startServer({ rateLimit: 1 })
      const [one, two] = [yield* keyWith(["pets:read"]), yield* keyWith(["pets:read"])]
      for (let n = 0; n < 3; n++) {
        const anonymous = yield* send("GET", "/v1/pets", { key: undefined })
        assert.strictEqual(anonymous.status, 401)
        assert.isFalse(anonymous.headers.has("ratelimit"))
      }
      assert.strictEqual((yield* send("GET", "/v1/pets", { key: one })).status, 200)
      assert.strictEqual((yield* send("GET", "/v1/pets", { key: one })).status, 429)
      assert.strictEqual((yield* send("GET", "/v1/pets", { key: two })).status, 200)
    })
  )

  it.effect("given that it is off, then no response shows it", () =>
    Effect.gen(function* () {
      const { send } = yield* startServer({ rateLimit: "off" })
      const reply = yield* send("GET", "/v1/pets")
      assert.isFalse(reply.headers.has("ratelimit"))
      assert.isFalse(reply.headers.has("ratelimit-policy"))
    })
  )
})
