import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { bindsChannel } from "./connection/urlParameters.ts"
import { optionsOf } from "./PostgresOptions.ts"
import { postgres } from "./postgres.ts"

const url = "postgres://localhost/shop"

class Pool {
  connect() {}
}

describe("what is passed instead of a URL or options", () => {
  const others: ReadonlyArray<readonly [unknown, string]> = [
    ["", "not an empty text"],
    ["./petstore.db", "not a text that begins without postgres://"],
    ["mysql://ann:secret@db/shop", "not one that begins with mysql:"],
    [{ url: 5 }, "not 5"],
    [{ url, replica: "https://db" }, "not one that begins with https:"],
    [{ url, replica: new URL(url) }, "not a URL"],
    ...["require", null, [], Promise.resolve({}), new Map()].map(
      (ssl) => [{ url, ssl }, "ssl takes true, false or an"] as const
    ),
    [{ pool: url }, "takes a Pool of the package pg, not a string of 25 characters"],
    [{}, "needs either url or pool, and neither has a value"],
    [{ url, pool: new Pool() }, "needs either url or pool, and both have a value"],
    [new Pool(), "takes a pool as an option: write postgres({ pool })"],
    [new URL(url), "not a URL"],
    [Promise.resolve(url), "not a promise: await it"],
    [undefined, "not undefined"]
  ]
  for (const [given, message] of others) {
    it(`given ${inspect(given, { depth: 0 })}, then the error names it, without a password`, () => {
      try {
        postgres(given as never)
      } catch (error) {
        assert.instanceOf(error, TypeError)
        assert.include(String(error), message)
        return assert.notInclude(String(error), "secret")
      }
      assert.fail("It was accepted")
    })
  }
})

describe("options behind the URL", () => {
  it("given some, then a TypeError says what to write; the index of an element is ignored", () => {
    const make: (...args: ReadonlyArray<never>) => unknown = postgres
    assert.throws(
      () => make(url as never, { schema: "shop" } as never),
      TypeError,
      /Write postgres\({ url, schema: "shop" }\)/
    )
    assert.lengthOf([url, url].map(postgres), 2)
  })

  it("given TLS as pg takes it, then it is accepted", () => {
    for (const ssl of [true, false, {}, { ca: "..." }]) assert.deepStrictEqual(optionsOf({ url, ssl }).ssl, ssl)
  })
})

describe("the option schema", () => {
  for (const schema of ["Shop-1", "a 'shop'", '"', "é".repeat(31), "x".repeat(63)]) {
    it(`given ${schema}, then it is accepted`, () => {
      assert.doesNotThrow(() => postgres({ url, schema }))
    })
  }

  for (const schema of ["", "x".repeat(64), "é".repeat(32), "a\0b", "pg_shop"]) {
    it(`given ${JSON.stringify(schema)}, then it is rejected`, () => {
      assert.throws(() => postgres({ url, schema }), TypeError, /The option schema takes the name of a schema/)
    })
  }
})

describe("the parameters of the URL", () => {
  it("given those of the adapter, then they are its options, and the driver gets the others", () => {
    const given = "postgres://petstore:a%3Fb@one,two:5433/shop?prepare=false&sslmode=verify-full&maxConnections=5"
    const { maxConnections, prepare, url: rest } = optionsOf(given)
    assert.deepStrictEqual(
      [rest, prepare, maxConnections],
      ["postgres://petstore:a%3Fb@one,two:5433/shop?sslmode=verify-full", false, 5]
    )
  })

  it("given what the adapter does anyway, then the driver does not get it", () => {
    assert.strictEqual(optionsOf(`${url}?target_session_attrs=read-write&channel_binding=prefer`).url, url)
    const bound = `${url}?sslmode=require&channel_binding=require`
    assert.strictEqual(optionsOf(bound).url, bound)
    assert.deepStrictEqual([bound, url].map(bindsChannel), [true, false])
  })

  for (const [parameters, message] of [
    ["prepare=off", /parameter prepare of the URL takes true or false/],
    ["maxConnections=0", /parameter maxConnections of the URL takes a whole number/],
    ["maxconnections=5", /the parameter maxconnections/],
    ["binary=true", /the parameter binary/],
    ["maxconnections=5", /Did you mean maxConnections\? Otherwise leave it out/],
    ["sslmod=require", /Did you mean sslmode\?/],
    ["statement_timeout=5000", /Remove it from the URL, and set the option statementTimeout, or --statement-timeout/],
    [
      "lockTimeout=5",
      /The parameter lockTimeout of the URL is not read. .*set the option lockTimeout, or --lock-timeout/
    ],
    ["timeout=5", /set the option timeout, or --storage-timeout/],
    ["schema=shop", /set the option schema, or --schema/],
    ["pgbouncer=true", /Write prepare=false instead/],
    ["target_session_attrs=read-only", /target_session_attrs of the URL takes read-write or primary/],
    ["prepare=true&prepare=false", /has the parameter prepare twice. Keep one of them/],
    ["maxConnections=5&maxConnections=5", /has the parameter maxConnections twice/],
    ["sslmode=disable&sslmode=require", /has the parameter sslmode twice/]
  ] as const) {
    it(`given ${parameters}, which would be ignored, then it is rejected`, () => {
      assert.throws(() => postgres(`${url}?${parameters}`), TypeError, message)
      assert.throws(() => postgres({ url, replica: `${url}?${parameters}` }), TypeError)
    })
  }

  it("given another value as an option, then it is rejected", () => {
    assert.throws(() => postgres({ url: `${url}?prepare=false`, prepare: true }), /say different things/)
    assert.doesNotThrow(() => postgres({ url: `${url}?prepare=false`, prepare: false }))
  })

  it("given a password that looks like parameters, then the message does not show it", () => {
    assert.throws(() => postgres("postgres://petstore:pa?hunter2=x@localhost/shop"), TypeError, /^(?!.*hunter2)/)
  })
})
