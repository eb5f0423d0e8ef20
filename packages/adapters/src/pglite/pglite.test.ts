import { assert, describe, it } from "@effect/vitest"
import { pglite } from "./pglite.ts"

const database = { execProtocol: () => {} } as never

describe("what plain JavaScript may pass to pglite", () => {
  for (const [options, message] of [
    [{ url: "postgres://localhost" }, /^pglite does not know the option url; it takes schema, migrate/],
    [{ lockTimeout: "soon" }, /^The option lockTimeout takes a duration/],
    ["shop", /^pglite takes an object of options, such as \{ schema: "petstore" \}, not "shop"/]
  ] as const) {
    it(`given the options ${JSON.stringify(options)}, then a TypeError says what it takes`, () => {
      const attempt = () => pglite(database, options as never)
      assert.throws(attempt, TypeError, message)
    })
  }

  it("given something that is no PGlite, then a TypeError says so when it is called", () => {
    assert.throws(() => pglite(Promise.resolve(database) as never), /pglite takes a PGlite, .*not a promise: await it/)
  })
})
