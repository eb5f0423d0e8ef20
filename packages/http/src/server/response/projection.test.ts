import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { projection } from "./successResponse.ts"

const project = projection(
  Schema.Struct({
    id: Schema.Int,
    name: Schema.optionalKey(Schema.String),
    parts: Schema.Array(Schema.Struct({ size: Schema.Int, color: Schema.optionalKey(Schema.String) }))
  })
)

describe("the projection of a schema", () => {
  it("given a value with its fields in their order, then it is that value", () => {
    for (const value of [
      { id: 1, name: "a", parts: [] },
      { id: 1, parts: [{ size: 1 }, { size: 2, color: "red" }] }
    ])
      assert.strictEqual(project(value), value)
  })

  it("given other fields, another order or fields that are undefined, at any depth, then the bytes are those of the schema", () => {
    const expected = '{"id":1,"name":"a","parts":[{"size":1,"color":"red"},{"size":2}]}'
    const parts = [{ size: 1, color: "red" }, { size: 2 }]
    for (const value of [
      { id: 1, name: "a", parts },
      { id: 1, name: "a", parts, secret: 1 },
      { secret: 1, id: 1, name: "a", parts },
      { id: 1, secret: undefined, name: "a", parts },
      { parts, name: "a", id: 1 },
      { id: 1, name: "a", parts: [{ color: "red", size: 1 }, { size: 2 }] },
      {
        id: 1,
        name: "a",
        parts: [
          { size: 1, color: "red" },
          { size: 2, secret: 1 }
        ]
      },
      {
        id: 1,
        name: "a",
        parts: [
          { size: 1, color: "red" },
          { size: 2, color: undefined }
        ]
      },
      { parts: [{ color: "red", size: 1, secret: 1 }, { size: 2 }], id: 1, name: "a" }
    ])
      assert.strictEqual(JSON.stringify(project(value)), expected, JSON.stringify(value))
  })
})
