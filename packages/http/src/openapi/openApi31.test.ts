import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { OpenApi, SchemaObject } from "./OpenApi.ts"
import { openApi31 } from "./openApi31.ts"
import { openApiDocument } from "./openApiDocument.ts"

const document = openApiDocument()
const { schemas } = document.components

interface Parts {
  readonly components: { readonly schemas: Readonly<Record<string, object>>; readonly examples: object }
}

const in31 = (changed: OpenApi = document): Parts => JSON.parse(JSON.stringify(openApi31(changed)))

describe("a document in OpenAPI 3.1", () => {
  for (const [what, schema, expected] of [
    ["a value or null", { type: "string", nullable: true }, { type: ["string", "null"] }],
    ["an exclusive lower bound", { minimum: 0, exclusiveMinimum: true }, { exclusiveMinimum: 0 }],
    ["an exclusive upper bound", { maximum: 9, exclusiveMaximum: true }, { exclusiveMaximum: 9 }],
    ["bounds", { minimum: 0, maximum: 9 }, { minimum: 0, maximum: 9 }],
    ["an example", { example: { nullable: true } }, { examples: [{ nullable: true }] }],
    [
      "a field with the name of a keyword",
      { properties: { nullable: { example: 1 } } },
      { properties: { nullable: { examples: [1] } } }
    ],
    ["a map", { additionalProperties: { example: 1 } }, { additionalProperties: { examples: [1] } }],
    ["a closed object", { additionalProperties: false }, { additionalProperties: false }],
    ["items", { items: { example: 1 } }, { items: { examples: [1] } }],
    [
      "combinations",
      { allOf: [{ example: 1 }], anyOf: [{ example: 2 }], oneOf: [{ example: 3 }], not: { example: 4 } },
      { allOf: [{ examples: [1] }], anyOf: [{ examples: [2] }], oneOf: [{ examples: [3] }], not: { examples: [4] } }
    ],
    ["a reference", { items: { $ref: "#/components/schemas/Pet" } }, { items: { $ref: "#/components/schemas/Pet" } }]
  ] satisfies ReadonlyArray<readonly [string, SchemaObject, object]>) {
    it(`given ${what}, then the schema is that of draft 2020-12`, () => {
      const { components } = in31({ ...document, components: { ...document.components, schemas: { Any: schema } } })
      assert.deepStrictEqual(components.schemas.Any, expected)
    })
  }

  it("given webhooks and the frames of a stream, then they have the names of 3.1", () => {
    const text = JSON.stringify(in31())
    for (const name of ["webhooks", "contentMediaType", "contentSchema"]) assert.include(text, `"${name}":`)
    for (const name of ["x-webhooks", "x-contentMediaType", "x-contentSchema"]) assert.notInclude(text, `"${name}":`)
  })

  it("given an example that looks like a schema, then it stays as it is", () => {
    const examples = { Any: { value: { schema: { type: "string", nullable: true } } } }
    const { components } = in31({ ...document, components: { ...document.components, examples } })
    assert.deepStrictEqual(components.examples, examples)
  })
})

/** Every object and value in the examples of the document. */
const examples: ReadonlyArray<unknown> = (() => {
  const found = new Map<string, unknown>()
  const add = (value: unknown): void => {
    found.set(JSON.stringify(value), value)
    if (typeof value === "object" && value !== null) Object.values(value).forEach(add)
  }
  JSON.stringify(document, (key, part) => {
    if (key === "example" || key === "value") add(part)
    return part
  })
  return [...found.values()]
})()

const edges = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  fc.constantFrom<unknown>(
    true,
    0,
    -1,
    1,
    1.5,
    101,
    1_000_001,
    2 ** 31,
    2 ** 53,
    "",
    " ",
    "a",
    "a".repeat(300),
    [],
    {}
  ),
  fc.constantFrom<unknown>("2026-05-04T09:30:00Z", "2026-05-04", "available", "lost", ["pets:read"], ["lost"], [null]),
  fc.constantFrom(...examples),
  fc.string()
)

/** Values that a schema may accept or not: some that it accepts, with a field changed, removed or added, and others. */
const valuesFor = (accepted: ReadonlyArray<unknown>, fields: ReadonlyArray<string>): fc.Arbitrary<unknown> => {
  const changes = fc.dictionary(fc.constantFrom(...fields, "colour"), edges, { noNullPrototype: true, maxKeys: 2 })
  const gone = fc.constantFrom(...fields, "colour")
  const bases = accepted.filter((value) => typeof value === "object")
  if (bases.length === 0) return fc.oneof(edges, fc.constantFrom(...examples))
  const changed = fc
    .tuple(fc.constantFrom(...bases), changes, fc.option(gone))
    .map(([base, set, removed]) =>
      Object.fromEntries(Object.entries({ ...base, ...set }).filter(([field]) => field !== removed))
    )
  return fc.oneof({ weight: 5, arbitrary: changed }, edges)
}

const validators = (ajv: Ajv | Ajv2020, { components }: Parts) => {
  addFormats.default(ajv, ["date-time", "uri-reference"])
  ajv.addFormat("int64", true)
  ajv.addSchema({ components }, "api")
  return (name: string) => ajv.compile({ $ref: `api#/components/schemas/${name}` })
}

describe("the schemas of both versions", () => {
  // Ajv reads `nullable` in any version, though it means nothing in 3.1.
  const without: Parts = JSON.parse(JSON.stringify(in31()), (key, part) => (key === "nullable" ? undefined : part))
  const in30 = validators(new Ajv({ strict: false }), document)
  const ajv31 = new Ajv2020({ strict: false })
  const validatorIn31 = validators(ajv31, without)

  it("given 2,000 values, then both accept or both refuse each", () => {
    const verdicts = { accepted: 0, refused: 0 }
    const runs = Math.ceil(2_000 / Object.keys(schemas).length)
    for (const [name, schema] of Object.entries(schemas)) {
      const [validate30, validate31] = [in30(name), validatorIn31(name)]
      const accepted = examples.filter((value) => validate30(value))
      fc.assert(
        fc.property(valuesFor(accepted, Object.keys(schema.properties ?? {})), (value) => {
          const accepts = validate30(value)
          verdicts[accepts ? "accepted" : "refused"]++
          assert.strictEqual(validate31(value), accepts, `${name}: ${JSON.stringify(value)}`)
        }),
        { numRuns: runs }
      )
    }
    assert.isAtLeast(verdicts.accepted + verdicts.refused, 2_000)
    assert.isAtLeast(Math.min(verdicts.accepted, verdicts.refused), 200)
  })

  it("given each schema, then it is one of draft 2020-12", () => {
    for (const [name, schema] of Object.entries(in31().components.schemas)) {
      assert.isTrue(ajv31.validateSchema(schema), name)
    }
  })
})
