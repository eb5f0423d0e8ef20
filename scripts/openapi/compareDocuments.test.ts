import { type OpenApi, openApiDocument } from "@petstore/http/openapi"
import { assert, describe, it } from "vitest"
import { compareDocuments } from "./compareDocuments.ts"

const document = openApiDocument()
const today = "2026-05-04"

type Json = { [key: string]: Json } & Array<Json>

/** A copy of a document with one part replaced; undefined takes it away. */
const edited = (pointer: string, change: (part: Json) => unknown, from: OpenApi = document): OpenApi => {
  const copy = structuredClone(from)
  const keys = pointer.split(" > ")
  const last = keys.pop() ?? ""
  const parent = keys.reduce<Json>((part, key) => part[key] as Json, copy as unknown as Json)
  const part = change(parent[last] as Json)
  if (part === undefined) delete parent[last]
  else parent[last] = part as Json
  return copy
}

const without = (pointer: string, from?: OpenApi): OpenApi => edited(pointer, () => undefined, from)
const having = (pointer: string, value: unknown, from?: OpenApi): OpenApi => edited(pointer, () => value, from)

/** Each change as a line, with an exclamation mark where it is breaking. */
const compared = (before: OpenApi, after: OpenApi, day = today): ReadonlyArray<string> =>
  compareDocuments(before, after, day).map(({ breaking, what, where }) => `${breaking ? "! " : ""}${where}: ${what}`)

const pets = "paths > /pets"
const schemas = "components > schemas"
const parameters = "components > parameters"
const quantity = `${schemas} > InventoryUpdate > properties > quantity`
const colour = { name: "colour", in: "query", description: "Only of this colour.", schema: { type: "string" } }

describe("a comparison of documents", () => {
  it("given the same twice, when they are compared, then nothing changed", () => {
    assert.deepEqual(compared(document, openApiDocument()), [])
  })

  it("given other texts and examples, when they are compared, then nothing changed", () => {
    for (const [pointer, text] of [
      [`${pets} > get > summary`, "Pets"],
      [`${pets} > get > description`, "All pets."],
      [`${schemas} > Pet > description`, "An animal."],
      [`${pets} > post > requestBody > content > application/json > example`, { name: "Tom", categoryId: 1 }]
    ] as const) {
      assert.deepEqual(compared(document, having(pointer, text)), [], pointer)
    }
  })

  it("given a reference that is wrapped for the sake of a description, when they are compared, then nothing changed", () => {
    const bare = having(`${schemas} > Pet > properties > status`, { $ref: "#/components/schemas/PetStatus" })
    assert.deepEqual(compared(bare, document), [])
    assert.deepEqual(compared(document, bare), [])
  })

  const breaking: ReadonlyArray<readonly [string, OpenApi, string]> = [
    ["lost an operation", without(`${pets} > post`), "POST /pets: it is gone"],
    ["lost a path", without("paths > /accounts"), "GET /accounts: it is gone"],
    ["lost a status", without(`${pets} > get > responses > 429`), "GET /pets > 429: it is gone"],
    [
      "got a new success",
      having(`${pets} > post > responses > 202`, { description: "Later." }),
      "POST /pets > 202: it is a new success"
    ],
    [
      "lost a header of an answer",
      without(`${pets} > get > responses > 200 > headers > Link`),
      "GET /pets > 200 > header Link: it is gone"
    ],
    [
      "does not always send a header of an answer any more",
      without("components > headers > Location > required"),
      "POST /pets > 201 > header Location: it may be absent now"
    ],
    [
      "lost a media type",
      having(`${pets} > get > responses > 200 > content`, {}),
      "GET /pets > 200: application/json is gone"
    ],
    [
      "lost an error code",
      having("components > responses > Unauthorized > x-error-codes", ["unauthenticated"]),
      "GET /pets > 401: the code invalid_api_key is gone"
    ],
    [
      "renamed an operationId",
      having(`${pets} > get > operationId`, "pets"),
      "GET /pets: its operationId was listPets, is pets"
    ],
    [
      "needs another scope",
      having(`${pets} > get > x-required-scopes`, ["pets:read", "admin"]),
      "GET /pets: it needs the scope admin"
    ],
    [
      "needs a scope for a body",
      having(`${pets} > post > x-scope-of-body`, { field: "status", scope: "admin" }),
      "POST /pets: it needs the scope admin where status is true"
    ],
    [
      "needs a second scope for a body that one sufficed for",
      without("paths > /store/orders/{orderId} > patch > x-scope-of-body > sufficesAlone"),
      "PATCH /store/orders/{orderId}: the scope orders:fulfil does not suffice any more for a body with complete alone"
    ],
    ["moved", having("servers", [{ url: "/v2" }]), "/pets: it was under /v1, is under /v2"],
    [
      "lost a parameter",
      edited(`${pets} > get > parameters`, (list) => list.slice(1)),
      "GET /pets > query parameter status: it is gone"
    ],
    [
      "got a required parameter",
      edited(`${pets} > get > parameters`, (list) => [...list, { ...colour, required: true }]),
      "GET /pets > query parameter colour: it is new, and required"
    ],
    [
      "requires a parameter",
      having(`${parameters} > Cursor > required`, true),
      "GET /pets > query parameter cursor: it is required now"
    ],
    [
      "narrowed a parameter",
      having(`${parameters} > Limit > schema > maximum`, 50),
      "GET /pets > query parameter limit: maximum was 100, is 50"
    ],
    ["lost a body", without(`${pets} > post > requestBody`), "POST /pets > body: it is gone"],
    [
      "lost a field of an input",
      without(`${schemas} > NewCategory > properties > description`),
      "POST /categories > body > description: it is gone"
    ],
    [
      "requires a field of an input",
      having(`${schemas} > NewPet > required`, ["name", "categoryId", "status"]),
      "POST /pets > body > status: it is required now"
    ],
    [
      "raised a bound of an input",
      having(`${quantity} > minimum`, 1),
      "PATCH /inventory/{petId} > body > quantity: minimum was 0, is 1"
    ],
    [
      "set a bound of an input",
      having(`${schemas} > NewPet > properties > categoryId > maxLength`, 9),
      "POST /pets > body > categoryId: maxLength was nothing, is 9"
    ],
    [
      "changed a pattern",
      having(`${schemas} > NewPet > properties > name > pattern`, "^a$"),
      "POST /pets > body > name: pattern was"
    ],
    [
      "changed a type",
      having(`${quantity} > type`, "string"),
      'PATCH /inventory/{petId} > body > quantity: type was "integer", is "string"'
    ],
    [
      "changed a format",
      having(`${schemas} > Account > properties > createdAt > format`, "date"),
      'GET /accounts > 200 > items > createdAt: format was "date-time", is "date"'
    ],
    [
      "lost a value of an input",
      edited(`${schemas} > Preset > enum`, (values) => values.slice(1)),
      'POST /api-keys > body > preset: the value "read" is gone'
    ],
    [
      "does not take null any more",
      without(`${schemas} > OrderUpdate > properties > shipDate > nullable`),
      "PATCH /store/orders/{orderId} > body > shipDate: nullable was true, is nothing"
    ],
    [
      "lost a field of an answer",
      without(`${schemas} > Account > properties > createdAt`),
      "GET /accounts > 200 > items > createdAt: it is gone"
    ],
    [
      "does not promise a field",
      having(`${schemas} > Account > required`, ["id", "name"]),
      "GET /accounts > 200 > items > createdAt: it is not required any more"
    ],
    [
      "answers null",
      having(`${schemas} > Account > properties > name > nullable`, true),
      "GET /accounts > 200 > items > name: nullable was nothing, is true"
    ],
    [
      "lost a bound of an answer",
      without(`${schemas} > Account > properties > id > maximum`),
      "GET /accounts > 200 > items > id: maximum was 9007199254740991, is nothing"
    ],
    [
      "answers a new value",
      having(`${schemas} > MessageStatus > enum`, ["queued", "delivered", "failed", "lost"]),
      'GET /messages > 200 > items > status: the value "lost" is new'
    ]
  ]

  for (const [what, after, expected] of breaking) {
    it(`given a document that ${what}, when it is compared, then that is breaking`, () => {
      const lines = compared(document, after)
      assert.isTrue(
        lines.some((line) => line.startsWith(`! ${expected}`)),
        lines.join("\n")
      )
    })
  }

  it("given an open input, when it refuses unknown fields, then that is breaking", () => {
    const open = without(`${schemas} > NewPet > additionalProperties`)
    assert.deepEqual(compared(open, document), ["! POST /pets > body: unknown fields are refused now"])
    assert.deepEqual(compared(document, open), [])
  })

  it("given a shape that nothing needs any more, when it goes, then that is breaking for those who named it", () => {
    const before = having(`${schemas} > Colour`, { type: "string" })
    assert.deepEqual(compared(before, document), ["! the shape Colour: it is gone"])
    assert.deepEqual(compared(document, before), [])
  })

  const compatible: ReadonlyArray<readonly [string, OpenApi, ReadonlyArray<string>]> = [
    ["got an operation", having("paths > /dogs", { get: document.paths["/pets"]?.get }), ["GET /dogs: it is new"]],
    [
      "got an error status",
      having(`${pets} > get > responses > 451`, { description: "Not here." }),
      ["GET /pets > 451: it is new"]
    ],
    [
      "always sends a header of an answer",
      having("components > headers > NextPageLink > required", true),
      ["GET /pets > 200 > header Link: it always comes now"]
    ],
    [
      "got an error code",
      edited("components > responses > NotFound > x-error-codes", (codes) => [...codes, "lost"]),
      ["GET /accounts/{accountId} > 404: the code lost is new"]
    ],
    [
      "got an optional parameter",
      edited(`${pets} > get > parameters`, (list) => [...list, colour]),
      ["GET /pets > query parameter colour: it is new"]
    ],
    [
      "got an optional field of an input",
      having(`${schemas} > NewPet > properties > colour`, { type: "string" }),
      ["POST /pets > body > colour: it is new"]
    ],
    [
      "got a field of an answer",
      having(`${schemas} > PetWithInventory > properties > colour`, { type: "string" }),
      ["GET /store/pets/{petId} > 200 > colour: it is new"]
    ],
    [
      "lowered a bound of an input",
      having(`${quantity} > minimum`, -1),
      ["PATCH /inventory/{petId} > body > quantity: minimum was 0, is -1"]
    ],
    [
      "takes a new value",
      having(`${schemas} > Preset > enum`, ["read", "write", "admin", "storefront", "warehouse", "audit"]),
      ['POST /api-keys > body > preset: the value "audit" is new']
    ],
    [
      "needs a scope less",
      having("paths > /store/pets/{petId} > get > x-required-scopes", ["pets:read"]),
      ["GET /store/pets/{petId}: it does not need the scope inventory:read any more"]
    ],
    [
      "needs one scope less for a body",
      having("paths > /store/orders > post > x-scope-of-body > sufficesAlone", true),
      ["POST /store/orders: the scope orders:fulfil suffices for a body with complete alone"]
    ],
    [
      "made a beta operation stable",
      without("paths > /messages > get > x-stability"),
      ["GET /messages: it was beta, is stable"]
    ]
  ]

  for (const [what, after, expected] of compatible) {
    it(`given a document that ${what}, when it is compared, then that is compatible`, () => {
      const lines = compared(document, after)
      for (const line of expected) assert.include(lines, line)
      assert.deepEqual(
        lines.filter((line) => line.startsWith("!")),
        []
      )
    })
  }
})

describe("the promises for operations", () => {
  const post = `${pets} > post`
  const ending = (sunset: string) =>
    edited(post, (operation) => ({ ...operation, deprecated: true, "x-sunset": sunset, "x-deprecated-sunset": sunset }))

  it("given a stable operation, when its end comes within a year, then that is breaking", () => {
    assert.deepEqual(compared(document, ending("2027-05-03")), ["! POST /pets: it ends on 2027-05-03"])
    assert.deepEqual(compared(document, ending("2027-05-04")), ["POST /pets: it ends on 2027-05-04"])
  })

  it("given a beta operation, when its end comes after 90 days, then that is compatible", () => {
    const beta = having(`${post} > x-stability`, "beta")
    const beforeLong = having(`${post} > x-stability`, "beta", ending("2026-08-02"))
    const tooSoon = having(`${post} > x-stability`, "beta", ending("2026-08-01"))
    assert.deepEqual(compared(beta, beforeLong), ["POST /pets: it ends on 2026-08-02"])
    assert.deepEqual(compared(beta, tooSoon), ["! POST /pets: it ends on 2026-08-01"])
  })

  it("given an announced end, when it is moved, then only an earlier one is breaking", () => {
    assert.deepEqual(compared(ending("2030-01-01"), ending("2029-01-01")), [
      "! POST /pets: it ends on 2029-01-01, not on 2030-01-01"
    ])
    assert.deepEqual(compared(ending("2030-01-01"), ending("2031-01-01")), [
      "POST /pets: it ends on 2031-01-01, not on 2030-01-01"
    ])
  })

  it("given a deprecated operation, when it goes, then that is breaking before its sunset and not from then on", () => {
    const after = without("paths > /pets/{petId} > get")
    assert.deepEqual(compared(document, after, "2030-12-04"), ["! GET /pets/{petId}: it is gone"])
    assert.deepEqual(compared(document, after, "2030-12-05"), ["GET /pets/{petId}: it is gone"])
  })

  it("given a stable operation, when it becomes beta, then that is breaking", () => {
    assert.deepEqual(compared(document, having(`${post} > x-stability`, "beta")), [
      "! POST /pets: it was stable, is beta"
    ])
  })

  it("given an experimental operation, when it changes or goes, then nothing is breaking", () => {
    const before = having(`${post} > x-stability`, "experimental")
    assert.deepEqual(compared(before, without(post)), ["POST /pets: it is gone"])
    assert.deepEqual(compared(before, without(`${post} > responses > 429`, before)), ["POST /pets > 429: it is gone"])
  })
})
