import { assert, describe, it } from "vitest"
import { fromJsonSchema } from "./fromJsonSchema.ts"

describe("a JSON Schema in OpenAPI 3.0.3", () => {
  for (const [what, schema, expected] of [
    ["a constant", { const: "queued" }, { enum: ["queued"] }],
    ["examples", { type: "string", examples: ["a", "b"] }, { type: "string", example: "a" }],
    ["an exclusive lower bound", { exclusiveMinimum: 0 }, { minimum: 0, exclusiveMinimum: true }],
    ["an exclusive upper bound", { exclusiveMaximum: 9 }, { maximum: 9, exclusiveMaximum: true }],
    [
      "a value or null",
      { anyOf: [{ type: "string", maxLength: 9 }, { type: "null" }] },
      { type: "string", maxLength: 9, nullable: true }
    ],
    [
      "one of several values or null",
      { anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] },
      { type: "string", enum: ["a", null], nullable: true }
    ],
    [
      "alternatives without null",
      { anyOf: [{ type: "string" }, { const: 1 }] },
      { anyOf: [{ type: "string" }, { enum: [1] }] }
    ],
    ["an open object", { type: "object", additionalProperties: true }, { type: "object" }],
    ["a closed object", { additionalProperties: false }, { additionalProperties: false }],
    ["a map", { additionalProperties: { const: 1 } }, { additionalProperties: { enum: [1] } }],
    [
      "fields",
      { properties: { a: { const: 1 } }, required: ["a"] },
      { properties: { a: { enum: [1] } }, required: ["a"] }
    ],
    ["items", { type: "array", items: { const: 1 } }, { type: "array", items: { enum: [1] } }],
    [
      "combinations",
      { allOf: [{ const: 1 }], oneOf: [{ const: 2 }], not: { const: 3 } },
      { allOf: [{ enum: [1] }], oneOf: [{ enum: [2] }], not: { enum: [3] } }
    ],
    ["a reference", { $ref: "#/$defs/Pet" }, { $ref: "#/components/schemas/Pet" }],
    [
      "a reference with siblings",
      { $ref: "#/$defs/Pet", description: "The pet." },
      { description: "The pet.", allOf: [{ $ref: "#/components/schemas/Pet" }] }
    ]
  ] as const) {
    it(`given ${what}, when it is converted, then it means the same`, () => {
      assert.deepEqual(fromJsonSchema(schema), expected)
    })
  }

  for (const [what, schema] of [
    ["a keyword that OpenAPI 3.0.3 does not have", { if: {} }],
    ["an inherited name as a keyword", { toString: {} }],
    ["a reference or null", { anyOf: [{ $ref: "#/$defs/Pet" }, { type: "null" }] }],
    ["one of several schemas or null", { anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] }]
  ] as const) {
    it(`given ${what}, when it is converted, then a TypeError is thrown`, () => {
      assert.throws(() => fromJsonSchema(schema), TypeError)
    })
  }
})
