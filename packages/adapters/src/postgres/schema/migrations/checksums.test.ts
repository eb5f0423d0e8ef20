import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { migrations } from "./index.ts"

describe("given the steps of the schema of PostgreSQL", () => {
  for (const { checksum, id, name, sql } of migrations) {
    it(`then the checksum of step ${id}, ${name}, is that of its SQL`, () => {
      assert.strictEqual(checksum, createHash("sha256").update(sql).digest("hex"))
    })
  }
})
