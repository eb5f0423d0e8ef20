import { assert, describe, it } from "@effect/vitest"
import { aMovement, aPetRecord } from "@petstore/testing"
import type { AnyTable } from "../adapter-toolkit/SynchronousRows.ts"
import { columnsOf, type Range, table } from "../kernel/Table.ts"
import { movements, pets } from "../tables/index.ts"
import { MemoryTable } from "./MemoryTable.ts"

const many = 5_000

/** A table that counts how often a column of its rows is read. */
const counting = (of: object, name: string) => {
  const { columns, ...rest } = of as AnyTable
  const column = columns[name]
  if (column === undefined) throw new Error(`There is no column ${name}`)
  let reads = 0
  const counted = {
    ...column,
    read: (row: object) => {
      reads++
      return column.read(row)
    }
  }
  const table = new MemoryTable([], { ...rest, columns: { ...columns, [name]: counted } })
  return {
    table,
    readsOf: (body: () => void): number => {
      const before = reads
      body()
      return reads - before
    }
  }
}

describe("given a range of many rows, when it is read backwards", () => {
  it("then its last rows are found by their key without the others", () => {
    const { readsOf, table } = counting(movements, "pet_id")
    for (let seq = 1; seq <= many; seq++) for (const petId of [1, 2]) table.put(aMovement({ petId, seq }))
    const range = { equal: { pet_id: 1 } }
    const found = (after?: number) =>
      table.select(after === undefined ? range : { ...range, after: [after] }, 2, true).map((row) => Object(row).seq)
    assert.isBelow(
      readsOf(() => assert.deepStrictEqual(found(), [many, many - 1])),
      100
    )
    assert.isBelow(
      readsOf(() => assert.deepStrictEqual(found(77), [76, 75])),
      100
    )
  })

  it("then its last rows are found in an index without the others", () => {
    const { readsOf, table } = counting(pets, "name")
    for (let id = 1; id <= many; id++) table.put(aPetRecord({ id, name: `Rex ${id % 100}` }))
    const range = { index: "status_name", equal: { status: "available" } }
    const found = (after: ReadonlyArray<string | number>) =>
      table.select({ ...range, after }, 2, true).map((row) => Object(row).id)
    assert.isBelow(
      readsOf(() => assert.deepStrictEqual(found([]), [4_999, 4_899])),
      100
    )
    assert.isBelow(
      readsOf(() => assert.deepStrictEqual(found(["Rex 7", 107]), [7, 4_969])),
      100
    )
  })
})

interface Task {
  readonly id: number
  readonly due?: number
}

const task = columnsOf<Task>()
const tasks = table<Task>("tasks", {
  key: ["id"],
  columns: { id: task.integer("id"), due: task.integer("due?") },
  indexes: { due: { order: ["due", "id"] } }
})

describe("given rows without a value in the order of an index", () => {
  it("when a range ends at a value, then it has none of them, as in a database", () => {
    const kept = new MemoryTable([], tasks as unknown as AnyTable)
    for (const row of [{ id: 1 }, { id: 2, due: 5 }, { id: 3, due: 7 }]) kept.put(row)
    const idsOf = (range: Range, isReversed = false) =>
      kept.select({ index: "due", ...range }, 9, isReversed).map((row) => Object(row).id)
    assert.deepStrictEqual([idsOf({}), idsOf({ to: 5 }), idsOf({ before: 7 })], [[1, 2, 3], [2], [2]])
    assert.deepStrictEqual([idsOf({ to: 7 }, true), idsOf({ before: 7 }, true)], [[3, 2], [2]])
  })
})

describe("given a range that has rows", () => {
  it("when none of them is wanted, then none is listed", () => {
    const table = new MemoryTable([], pets as unknown as AnyTable)
    table.put(aPetRecord())
    assert.deepStrictEqual(
      [0, 1].map((limit) => table.select({}, limit).length),
      [0, 1]
    )
  })
})

describe("given an index of different values that has a part of the rows", () => {
  const urgent = table<Task & { readonly place: string }>("tasks", {
    key: ["id"],
    columns: { id: task.integer("id"), due: task.integer("due?"), place: columnsOf<{ place: string }>().text("place") },
    indexes: { due: { equal: ["due"], where: [{ column: "place", is: "desk" }], isUnique: true } }
  })

  it("when another row of that part has the value of a row, then it is taken for the rows of the part alone", () => {
    const kept = new MemoryTable([], urgent as unknown as AnyTable)
    kept.put({ id: 1, due: 5, place: "desk" })
    const isTaken = (id: number, due: number, place: string) => kept.takenBy({ id, due, place }) !== undefined
    assert.deepStrictEqual(
      [isTaken(2, 5, "desk"), isTaken(2, 6, "desk"), isTaken(1, 5, "desk"), isTaken(2, 5, "door")],
      [true, false, false, false]
    )
  })
})
