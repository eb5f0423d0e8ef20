import { assert, describe, it } from "@effect/vitest"
import { MessageRules } from "@petstore/core/domain"
import { messages } from "@petstore/core/tables"
import { writesOf } from "./TableWrites.ts"

const [created, later] = ["2026-05-04T09:30:00.000Z", "2026-05-04T09:31:00.000Z"]

const idOf = (n: number): string => `msg_${n}`

/** A message that is claimed. */
const claim = (n: number, at = created) => {
  const before = MessageRules.queued(idOf(n), "Hello", created)
  return { key: idOf(n), before, row: MessageRules.claim(before, at, 30_000) }
}

const writes = writesOf(messages)

const keysOf = (changes: Parameters<typeof writes.changes>[0]) =>
  writes
    .changes(changes)
    .map(({ values }) => values.filter((value) => typeof value === "string" && value.startsWith("msg_")))

describe("the statements that change rows", () => {
  it("given rows that get the same values, then they share one", () => {
    assert.deepStrictEqual(keysOf([1, 2, 3].map((n) => claim(n))), [[1, 2, 3].map(idOf)])
  })

  it("given one between them that gets others, then they are changed in their order", () => {
    assert.deepStrictEqual(keysOf([claim(1), claim(2, later), claim(3)]), [[idOf(1)], [idOf(2)], [idOf(3)]])
  })

  it("given a new row between them, then it is inserted by a statement of its own", () => {
    const { key, row } = claim(2)
    const statements = writes.changes([claim(1), { key, before: undefined, row }, claim(3)])
    assert.deepStrictEqual(
      statements.map(({ statement: { sql } }) => sql.slice(0, 6)),
      ["UPDATE", "INSERT", "UPDATE"]
    )
  })

  it("given new messages, then they share a few", () => {
    const fresh = Array.from({ length: 20 }, (_, n) => ({ ...claim(n), before: undefined }))
    assert.deepStrictEqual(
      keysOf(fresh).map(({ length }) => length),
      [16, 4]
    )
  })

  it("given more of them than a statement has room for, then they share a few", () => {
    const keys = keysOf(Array.from({ length: 300 }, (_, n) => claim(n)))
    assert.deepStrictEqual(
      keys.map(({ length }) => length),
      [128, 128, 44]
    )
  })

  it("given a row that is as it was, or gone, then there is none", () => {
    const { before, key } = claim(1)
    assert.deepStrictEqual(
      keysOf([
        { key, before, row: before },
        { key, before, row: undefined }
      ]),
      []
    )
  })
})
