import { assert, describe, it } from "@effect/vitest"
import { postgres } from "./postgres.ts"

const url = "postgres://localhost/shop"

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
