import { assert, describe, it } from "@effect/vitest"
import { parseCheckpoint, subjectOfCreation } from "./CheckpointState.ts"

const parse = (subject: string, state: string) => parseCheckpoint({ subject, state, seq: 1 })

const created = subjectOfCreation("2026-05-04T09:30:00.000Z", "pets", 1)

describe("given a row of a checkpoint", () => {
  it("when this engine writes such rows, then it is read", () => {
    const state = { result: { id: 1 } }
    const expected = { kind: "created", at: "2026-05-04T09:30:00.000Z", table: "pets", id: "1", state }
    assert.deepStrictEqual<unknown>(parse(created, JSON.stringify(state)), expected)
  })

  it("when a part of its state has another form, then it is none of them", () => {
    const good = {
      status: {},
      trace: { stock: {} },
      message: { content: 1, shown: 2 },
      record: { metadata: {}, changes: 3 }
    }
    assert.isDefined(parse("messages/1", JSON.stringify(good)))
    const bad = [
      ...[1, null, []].map((status) => ({ status })),
      ...[1, {}, { stock: 1 }].map((trace) => ({ trace })),
      ...[1, { content: "1", shown: 2 }, { content: 1 }].map((message) => ({ message })),
      ...[{ metadata: {} }, { changes: 3 }, { metadata: 1, changes: 3 }].map((record) => ({ record }))
    ]
    for (const part of bad) {
      const state = JSON.stringify({ ...good, ...part })
      assert.isUndefined(parse("messages/1", state), state)
    }
  })

  it("when its total is not of whole numbers, then it is none of them", () => {
    const parsed = [
      { rows: 2, digest: 7 },
      { rows: 0.5, digest: 7 },
      { rows: 2, digest: "7" }
    ].map((total) => parse("settled/pets/0", JSON.stringify(total))?.kind)
    assert.deepStrictEqual(parsed, ["settled", undefined, undefined])
  })

  it("when its state is no object, or its subject has too many parts, then it is none of them", () => {
    for (const state of ["", "{", "null", "5", "[]", "{}"]) assert.isUndefined(parse(created, state), state)
    assert.isUndefined(parse(`${created}/1`, JSON.stringify({ result: { id: 1 } })))
  })
})
