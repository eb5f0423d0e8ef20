import { assert, describe, it } from "@effect/vitest"
import { table } from "./table.ts"

describe("a table", () => {
  it("given no width, then each row is one line, with columns as wide as their longest cell", () => {
    assert.strictEqual(
      table([
        ["id", "name"],
        ["10", "Cats and dogs"],
        ["2", "-"]
      ]),
      "id  name\n10  Cats and dogs\n2   -"
    )
  })

  it("given a width, then cells that are too long continue below, split at blanks", () => {
    const rows = [
      ["1", "pets:read, stock:read", "2026-11-22 05:30Z"],
      ["2", "admin", "-"]
    ]
    assert.strictEqual(
      table(rows, 26),
      ["1  pets:read,   2026-11-22", "   stock:read   05:30Z", "2  admin        -"].join("\n")
    )
  })

  it("given a word that is wider than its column, then the word is split", () => {
    assert.strictEqual(table([["a".repeat(25)]], 12), `${"a".repeat(12)}\n${"a".repeat(12)}\na`)
  })

  it("given a width that no table can have, then no column is narrower than ten characters", () => {
    assert.strictEqual(table([["a".repeat(12), "b"]], 1), `${"a".repeat(10)}  b\naa`)
  })

  it("given wide characters, then they count as two", () => {
    assert.strictEqual(table([["猫".repeat(6)]], 10), `${"猫".repeat(5)}\n猫`)
  })
})
