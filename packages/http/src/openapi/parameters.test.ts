import { formatCursor, parseCursor, parseIdempotencyKey } from "@petstore/core/domain"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { versionOf } from "../api/EntityTag.ts"
import { operations } from "../api/operations.ts"
import { parseEntityTags } from "../server/request/headerValues.ts"
import { methods } from "./OpenApi.ts"
import { openApiDocument } from "./openApiDocument.ts"
import { parametersOf } from "./parameters.ts"

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

describe("the patterns of headers", () => {
  it("given any text as an idempotency key, then the pattern accepts exactly what the server accepts", () => {
    const pattern = patternOf("IdempotencyKey")
    fc.assert(
      fc.property(text, (key) => {
        assert.strictEqual(pattern.test(key), parseIdempotencyKey(key) !== undefined, JSON.stringify(key))
      }),
      { numRuns: 500 }
    )
  })

  it("given any text that the pattern of entity tags accepts, then the server accepts it too", () => {
    const pattern = patternOf("VersionIfMatch")
    fc.assert(
      fc.property(text, (tags) => {
        if (pattern.test(tags)) assert.isDefined(parseEntityTags(tags), JSON.stringify(tags))
      }),
      { numRuns: 500 }
    )
    for (const tags of ["*", '"v1"', 'W/"v1"', '"v1", "v2"', '"p3-s5" , W/"x"']) assert.match(tags, pattern)
    for (const tags of ["v1", '"v1', "*, *", '"v1" "v2"']) assert.notMatch(tags, pattern)
  })
})

describe("the examples of parameters", () => {
  it("given a parameter that may be left out, then it has no example, which tools would send", () => {
    const { components, paths } = openApiDocument()
    const inline = Object.values(paths).flatMap((item) => methods.flatMap((method) => item[method]?.parameters ?? []))
    const parameters = [...Object.values(components.parameters), ...inline].flatMap((one) =>
      "$ref" in one ? [] : [one]
    )
    assert.isAbove(parameters.length, 30)
    // The server makes the ids of messages up: a link gives them.
    for (const { name, required, ...parameter } of parameters)
      assert.strictEqual("example" in parameter, required === true, name)
  })
})

describe("the examples of conditional headers", () => {
  it("given every operation with an entity tag, then its example is a tag of that resource", () => {
    const { parameters } = openApiDocument().components
    const checked = operations.flatMap((operation) => {
      const { entityTag } = operation
      if (entityTag === undefined) return []
      return parametersOf(operation).flatMap((parameter) => {
        const found =
          "$ref" in parameter ? parameters[parameter.$ref.replace("#/components/parameters/", "")] : parameter
        if (found === undefined || !/^If-(?:None-)?Match$/.test(found.name)) return []
        assert.isDefined(
          versionOf(entityTag, /For example: `(.+)`\.$/.exec(found.description)?.[1] ?? ""),
          `${operation.id} ${found.name}`
        )
        return [operation.id]
      })
    })
    assert.includeMembers(checked, ["getCategory", "updateCategory", "cancelOrder", "updateInventoryItem", "deletePet"])
  })
})

describe("the pattern of a cursor", () => {
  const pattern = patternOf("Cursor")

  it("given any cursor of the server, then the pattern accepts it", () => {
    const place = fc.oneof(fc.nat(), fc.maxSafeInteger(), fc.stringMatching(/^msg_[a-z0-9]{16,26}$/))
    fc.assert(
      fc.property(place, fc.string(), (last, name) => {
        assert.match(formatCursor("pets", { name }, last), pattern)
      })
    )
  })

  it("given text that the pattern rejects as a cursor, then the server rejects it too", () => {
    const cursor = formatCursor("pets", {}, 27)
    for (const broken of ["", `${cursor}=`, `${cursor} `, `${cursor}\n`, `"${cursor}"`, "é", "a".repeat(4_001)]) {
      assert.notMatch(broken, pattern)
      assert.isUndefined(parseCursor("pets", {}, broken))
    }
  })
})
