import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { PreparedStatement } from "./Connection.ts"

const open = () => {
  const database = new DatabaseSync(":memory:")
  database.exec(
    "CREATE TABLE fish (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO fish VALUES (1, 'Guppy'), (2, NULL)"
  )
  return database
}

describe("a prepared statement", () => {
  it("given rows, when they are read, then each has its columns by name", () => {
    using database = open()
    const statement = new PreparedStatement(database.prepare("SELECT name, id FROM fish WHERE id >= ? ORDER BY id"))
    const read = statement.all([1]).map(({ id, name }) => ({ id, name }))
    assert.deepStrictEqual(read, [
      { id: 1, name: "Guppy" },
      { id: 2, name: null }
    ])
    assert.strictEqual(statement.first([2])?.id, 2)
    assert.isUndefined(statement.first([3]))
  })

  it("given statements whose columns differ in their order, when both are read, then neither takes the other's columns", () => {
    using database = open()
    const one = new PreparedStatement(database.prepare("SELECT id, name FROM fish"))
    const other = new PreparedStatement(database.prepare("SELECT name, id FROM fish"))
    assert.strictEqual(one.first([])?.name, "Guppy")
    assert.strictEqual(other.first([])?.name, "Guppy")
  })

  it("given columns named as members of every object, when they are read, then they have the values of the row", () => {
    using database = open()
    const statement = new PreparedStatement(database.prepare("SELECT 7 AS constructor, 8 AS toString, 9 AS list"))
    const row = statement.first([])
    assert.deepStrictEqual([row?.constructor, row?.toString, row?.list], [7, 8, 9])
  })

  it("given two statements with the same columns, when rows are read, then decoders see one shape", () => {
    using database = open()
    const one = new PreparedStatement(database.prepare("SELECT id, name FROM fish WHERE id = 1")).first([])
    const other = new PreparedStatement(database.prepare("SELECT id, name FROM fish WHERE id = 2")).first([])
    assert.strictEqual(Object.getPrototypeOf(one), Object.getPrototypeOf(other))
  })
})
