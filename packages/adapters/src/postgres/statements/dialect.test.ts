import { assert, describe, it } from "@effect/vitest"
import { definedIn, inSchema, quoted, translated } from "./dialect.ts"

describe("translated", () => {
  it("given placeholders, it numbers them in their order", () => {
    assert.strictEqual(
      translated("petstore", "SELECT id FROM petstore_pets WHERE id > ? LIMIT ?"),
      'SELECT id FROM "petstore".petstore_pets WHERE id > $1 LIMIT $2'
    )
  })

  it("given what only SQLite takes, it leaves it out, and keeps what only PostgreSQL takes", () => {
    const sql = "DELETE FROM petstore_a INDEXED BY petstore_a_live, petstore_b NOT INDEXED LIMIT ? /*+ FOR UPDATE */"
    assert.strictEqual(translated("s", sql), 'DELETE FROM "s".petstore_a, "s".petstore_b LIMIT $1 FOR UPDATE')
  })

  it("given a schema with the prefix, a quote or a question mark in its name, it quotes it as one name", () => {
    assert.strictEqual(
      translated('petstore_"?', "SELECT ? FROM petstore_a"),
      'SELECT $1 FROM "petstore_""?".petstore_a'
    )
  })
})

describe("definedIn", () => {
  it("given names with @, it leaves them without a schema", () => {
    assert.strictEqual(
      definedIn("s", "CREATE INDEX @petstore_a_live ON petstore_a (id)"),
      'CREATE INDEX petstore_a_live ON "s".petstore_a (id)'
    )
  })
})

describe("inSchema", () => {
  it("given a text, it qualifies every name and nothing else", () => {
    assert.strictEqual(inSchema("s", "petstore_a.id = petstore_b.id"), '"s".petstore_a.id = "s".petstore_b.id')
    assert.strictEqual(quoted('a"b'), '"a""b"')
  })
})
