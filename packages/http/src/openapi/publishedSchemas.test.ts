import { validator } from "@petstore/core/domain"
import { Ajv, type ValidateFunction } from "ajv"
import addFormats from "ajv-formats"
import * as Result from "effect/Result"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type Operation, operations, pathTemplate } from "../api/operations.ts"
import type { OpenApi, OperationObject } from "./OpenApi.ts"
import { methodOf, openApiDocument } from "./openApiDocument.ts"

const document: OpenApi = openApiDocument()
const { components } = document

const ajv = new Ajv({ allErrors: true, strict: false })
addFormats.default(ajv, ["date-time", "uri-reference"])
ajv.addFormat("int64", true)

const compiled = new Map<string, ValidateFunction>()

const check = (schema: object): ValidateFunction => {
  const text = JSON.stringify(schema)
  const validate = compiled.get(text) ?? ajv.compile({ components, ...schema })
  compiled.set(text, validate)
  return validate
}

const assertValid = (schema: object, value: unknown, where: string) => {
  const validate = check(schema)
  assert.isTrue(validate(value), `${where}: ${ajv.errorsText(validate.errors)}`)
}

const publishedOperation = (operation: Operation): OperationObject | undefined =>
  document.paths[pathTemplate(operation.path)]?.[methodOf(operation)]

const withBody = operations.flatMap((operation) =>
  operation.body === undefined ? [] : [{ operation, body: operation.body }]
)

interface Found {
  readonly where: string
  readonly schema: object
  readonly example: unknown
}

/** Every example in a part of the document, with the schema beside it. */
const examplesIn = (part: unknown, where: string): ReadonlyArray<Found> => {
  if (typeof part !== "object" || part === null) return []
  const inside = Object.entries(part).flatMap(([key, value]) =>
    key === "example" || key === "examples" ? [] : examplesIn(value, `${where}/${key}`)
  )
  if (!("schema" in part) || typeof part.schema !== "object" || part.schema === null) return inside
  const { schema } = part
  const named =
    "examples" in part && typeof part.examples === "object" ? Object.entries<object>({ ...part.examples }) : []
  return [
    ...inside,
    ...("example" in part ? [{ where, schema, example: part.example }] : []),
    ...named.map(([name, own]) => ({
      where: `${where}/${name}`,
      schema,
      example: "value" in own ? own.value : components.examples[name]?.value
    }))
  ]
}

describe("the examples of the document", () => {
  const examples = examplesIn(document, "")

  it("given every example, then it is valid by the schema beside it", () => {
    assert.isAbove(examples.length, 150)
    for (const { example, schema, where } of examples) assertValid(schema, example, where)
  })

  it("given every operation, then its request, its success and each of its errors have an example", () => {
    for (const operation of operations) {
      const { requestBody, responses = {} } = publishedOperation(operation) ?? {}
      const { example, examples: several = example } = requestBody?.content["application/json"] ?? {}
      if (operation.body !== undefined) assert.isDefined(several, operation.id)
      for (const [status, found] of Object.entries(responses)) {
        const response =
          "$ref" in found ? components.responses[found.$ref.replace("#/components/responses/", "")] : found
        const media = Object.values(response?.content ?? {})[0]
        if (media === undefined) assert.include(["204", "304"], status)
        else
          assert.isTrue("example" in media || Object.keys(media.examples ?? {}).length > 0, `${operation.id} ${status}`)
      }
    }
  })

  it("given the example of a request body, when the server reads it, then it is accepted", () => {
    for (const { operation, body } of withBody) {
      const { requestBody } = publishedOperation(operation) ?? {}
      for (const { example } of examplesIn(requestBody, operation.id)) {
        assert.isTrue(Result.isSuccess(validator(body)("/body", example)), operation.id)
      }
    }
  })
})

const values = fc.oneof(
  fc.constantFrom<unknown>(0, 1, -1, 7, 1.5, 1_000_000, 1_000_001, 604_800, 604_801, 2_147_483_647, 2_147_483_648),
  fc.constantFrom<unknown>(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1, 1e300, null, true, false, [], {}),
  fc.constantFrom<unknown>(
    "",
    " ",
    "\u3000",
    "a",
    "a\u0000",
    "a\nb",
    "\n",
    "\u0085",
    "available",
    "lost",
    "admin",
    "read",
    "1"
  ),
  fc.constantFrom<unknown>("a".repeat(100), "a".repeat(101), "a".repeat(201), "😀".repeat(100), "a".repeat(16_385)),
  fc.constantFrom<unknown>("2026-05-04T09:30:00Z", "2026-05-04T09:30:00.5+02:00", "2026-02-30T09:30:00Z", "2026-05-04"),
  // Times that RFC 3339 and formats allow; the server rejects leap seconds.
  fc.constantFrom<unknown>("2016-12-31T23:59:60Z", "2026-05-04t09:30:00z", -0),
  fc.constantFrom<unknown>(["admin"], ["pets:read", "orders:read"], ["admin", "admin"], ["lost"], [1]),
  fc.string({ unit: "grapheme" })
)

describe("the schema of a request body", () => {
  for (const { operation, body } of withBody) {
    it(`given any body for ${operation.id}, then the schema accepts exactly what the server accepts`, () => {
      const { example = {}, schema = {} } =
        publishedOperation(operation)?.requestBody?.content["application/json"] ?? {}
      const validate = check(schema)
      const read = validator(body)
      const name = "$ref" in schema ? schema.$ref.replace("#/components/schemas/", "") : ""
      const fields = Object.keys(components.schemas[name]?.properties ?? {})
      const changed = fc
        .tuple(
          fc.dictionary(fc.constantFrom(...fields, ...fields, "colour"), values, { noNullPrototype: true, maxKeys: 2 }),
          fc.subarray(fields, { maxLength: 1 })
        )
        .map(([changes, [gone]]) =>
          Object.fromEntries(Object.entries(Object.assign({}, example, changes)).filter(([field]) => field !== gone))
        )
      const verdicts = new Set<boolean>()
      fc.assert(
        fc.property(fc.oneof({ weight: 20, arbitrary: changed }, values), (value) => {
          const accepted = Result.isSuccess(read("/body", value))
          verdicts.add(accepted)
          assert.strictEqual(validate(value), accepted, JSON.stringify(value))
        }),
        { numRuns: 200 }
      )
      assert.strictEqual(verdicts.size, 2, "bodies that are accepted, and bodies that are rejected")
    })
  }
})
