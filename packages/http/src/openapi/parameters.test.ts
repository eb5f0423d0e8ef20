import { parseIdempotencyKey } from "@petstore/core/domain"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { parseEntityTags } from "../server/entityTags.ts"
import { openApiDocument } from "./openApiDocument.ts"

const patternOf = (parameter: string): RegExp => {
  const { schema } = openApiDocument().components.parameters[parameter] ?? {}
  return new RegExp(schema !== undefined && "pattern" in schema ? (schema.pattern ?? "") : "", "u")
}

const pieces = fc.constantFrom(
  '"',
  "\\",
  "a",
  "!",
  "~",
  " ",
  "\t",
  ",",
  "W/",
  "w/",
  "*",
  "é",
  "\u0000",
  '"a"',
  '"v1"',
  ", "
)
const text = fc.oneof(
  fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join("")),
  fc.constantFrom("a".repeat(255), "a".repeat(256), `"${"a".repeat(255)}"`, `"${"a".repeat(256)}"`, '"\\""', '"a', "")
)

describe("the published patterns of headers", () => {
  it("given any text, when it is checked as an idempotency key, then the pattern takes exactly what the server takes", () => {
    const pattern = patternOf("IdempotencyKey")
    fc.assert(
      fc.property(text, (key) => {
        assert.strictEqual(pattern.test(key), parseIdempotencyKey(key) !== undefined, JSON.stringify(key))
      }),
      { numRuns: 2000 }
    )
  })

  it("given any text that the pattern of entity tags takes, when the server reads it, then it takes it too", () => {
    const pattern = patternOf("IfMatch")
    fc.assert(
      fc.property(text, (tags) => {
        if (pattern.test(tags)) assert.isDefined(parseEntityTags(tags), JSON.stringify(tags))
      }),
      { numRuns: 2000 }
    )
    for (const tags of ["*", '"v1"', 'W/"v1"', '"v1", "v2"', '"p3-s5" , W/"x"']) assert.match(tags, pattern)
    for (const tags of ["v1", '"v1', "*, *", '"v1" "v2"']) assert.notMatch(tags, pattern)
  })
})
