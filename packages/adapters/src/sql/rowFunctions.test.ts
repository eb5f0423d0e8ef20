import { assert, describe, it } from "@effect/vitest"
import type { Column } from "@petstore/core/kernel"
import { columnsOfSum, compiled, decoderOf, differenceReader, valuesReader } from "./rowFunctions.ts"
import { tables } from "./tableText.ts"

/** A value that a database returns for a column. */
const storedValue = ({ isJson, type }: Column<unknown>, seed: number): unknown =>
  isJson
    ? JSON.stringify([`${seed}`])
    : { integer: seed, text: `text ${seed}`, boolean: seed % 2, bytes: Uint8Array.of(seed) }[type]

const storedRow = (columns: Readonly<Record<string, Column<unknown>>>, seed: number) =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, storedValue(column, seed)]))

/** What SQLite takes for a value. */
const bound = (value: unknown): unknown => (typeof value === "boolean" ? Number(value) : (value ?? null))

describe("functions that are made of the text of a program", () => {
  for (const [name, table] of tables) {
    const { columns, decode } = table
    const all = storedRow(columns, 3)
    const rows = [all, ...Object.keys(columns).map((column) => ({ ...all, [column]: null }))]
    const fields = Object.entries(columns)

    it(`given rows of ${name}, whole and without each of their values, then they are decoded as by the loop`, () => {
      const make = decoderOf(table)
      assert.notStrictEqual(make, decode)
      for (const row of rows) assert.deepStrictEqual(make(row), decode(row))
    })

    it(`given rows of ${name}, then their values are those of its columns`, () => {
      const read = valuesReader(columns)
      for (const row of rows.map(decode)) {
        assert.deepStrictEqual(
          read(row),
          fields.map(([, column]) => bound(column.read(row)) as never)
        )
      }
    })

    it(`given two states of a row of ${name}, then the columns in which they differ are found`, () => {
      const compare = differenceReader(columns)
      const before = decode(all)
      for (const row of [...rows, storedRow(columns, 4)].map(decode)) {
        const changed = fields.filter(([, { read }]) => read(row) !== read(before))
        assert.deepStrictEqual(Object.entries(columnsOfSum(columns, compare(before, row))), changed)
      }
    })
  }

  it("given a runtime that makes no code of text, then the loop does the same", () => {
    const loop = () => "loop"
    const forbidden = globalThis.Function
    globalThis.Function = class {
      constructor() {
        throw new EvalError("Code generation from strings disallowed for this context")
      }
    } as never
    try {
      assert.strictEqual(compiled("return () => 'text'", {}, loop), loop)
    } finally {
      globalThis.Function = forbidden
    }
    assert.strictEqual(compiled("return () => 'text'", {}, loop)(), "text")
  })
})
