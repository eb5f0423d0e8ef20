import { assert, describe, it } from "@effect/vitest"
import { addressOf, urlsOf } from "./ConnectionSource.ts"

describe("urlsOf", () => {
  it("given one host, it returns the URL as it is", () => {
    for (const url of [
      "postgres://user:a,b@one:5432/shop",
      "postgresql:///shop?host=/run/postgresql",
      "postgres://[::1]:5432/shop"
    ]) {
      assert.deepStrictEqual(urlsOf(url), [url])
    }
  })

  it("given several hosts, it returns one URL each, in their order", () => {
    assert.deepStrictEqual(urlsOf("postgres://user:secret@one:5432,two:5433,[::1]/shop?sslmode=require"), [
      "postgres://user:secret@one:5432/shop?sslmode=require",
      "postgres://user:secret@two:5433/shop?sslmode=require",
      "postgres://user:secret@[::1]/shop?sslmode=require"
    ])
  })
})

describe("addressOf", () => {
  it("given a URL, it returns hosts and database without user, password and parameters", () => {
    assert.strictEqual(addressOf("postgres://user:secret@one:5432,two/shop?password=x"), "one:5432,two/shop")
    assert.strictEqual(addressOf("postgres://one/shop#x"), "one/shop")
  })

  it("given a password with a slash, it shows nothing of it", () => {
    assert.strictEqual(addressOf("postgres://user:12/secret@one/shop"), "the database")
  })
})
