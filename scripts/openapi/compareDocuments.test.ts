import { type OpenApi, openApiDocument } from "@petstore/http/openapi"
import { assert, describe, it } from "vitest"
import { compareDocuments } from "./compareDocuments.ts"

const document = openApiDocument()
const today = "2026-05-04"

type Json = { [key: string]: Json } & Array<Json>

/** A copy of a document with one part replaced, or removed by undefined. */
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

/** Each change as a line, with an exclamation mark if it is breaking. */
const compared = (before: OpenApi, after: OpenApi, day = today): ReadonlyArray<string> =>
  compareDocuments(before, after, day).map(({ breaking, what, where }) => `${breaking ? "! " : ""}${where}: ${what}`)

const pets = "paths > /pets"
const schemas = "components > schemas"
const parameters = "components > parameters"
const quantity = `${schemas} > InventoryUpdate > properties > quantity`
const colour = { name: "colour", in: "query", description: "Only of this colour.", schema: { type: "string" } }

describe("a comparison of documents", () => {
  it("given equal documents, when they are compared, then nothing changed", () => {
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

  it("given a reference that is wrapped to add a description, when they are compared, then nothing changed", () => {
    const bare = having(`${schemas} > Pet > properties > status`, { $ref: "#/components/schemas/PetStatus" })
    assert.deepEqual(compared(bare, document), [])
    assert.deepEqual(compared(document, bare), [])
  })

  const breaking: ReadonlyArray<readonly [string, OpenApi, string]> = [
    ["lost an operation", without(`${pets} > post`), "POST /pets: removed"],
    ["lost a path", without("paths > /accounts"), "GET /accounts: removed"],
    ["lost a status", without(`${pets} > get > responses > 429`), "GET /pets > 429: removed"],
    [
      "got a new success",
      having(`${pets} > post > responses > 202`, { description: "Later." }),
      "POST /pets > 202: added as a success"
    ],
    [
      "lost a header of a response",
      without(`${pets} > get > responses > 200 > headers > Link`),
      "GET /pets > 200 > header Link: removed"
    ],
    [
      "no longer always sends a header of a response",
      without("components > headers > Location > required"),
      "POST /pets > 201 > header Location: no longer always sent"
    ],
    [
      "lost a media type",
      having(`${pets} > get > responses > 200 > content`, {}),
      "GET /pets > 200: application/json removed"
    ],
    [
      "lost an error code",
      having("components > responses > Unauthorized > x-error-codes", ["unauthenticated"]),
      "GET /pets > 401: code invalid_api_key removed"
    ],
    [
      "renamed an operationId",
      having(`${pets} > get > operationId`, "pets"),
      "GET /pets: operationId changed from listPets to pets"
    ],
    [
      "requires another scope",
      having(`${pets} > get > x-required-scopes`, ["pets:read", "admin"]),
      "GET /pets: now requires the scope admin"
    ],
    [
      "requires a scope for a body",
      having(`${pets} > post > x-scope-of-body`, { field: "status", scope: "admin" }),
      "POST /pets: now requires the scope admin if status is true"
    ],
    [
      "requires a second scope for a body that required only one",
      without("paths > /store/orders/{orderId} > patch > x-scope-of-body > sufficesAlone"),
      "PATCH /store/orders/{orderId}: a body with only complete no longer requires only the scope orders:fulfil"
    ],
    [
      "no longer takes a scope for one's own orders",
      without("paths > /store/orders > get > x-scope-for-own"),
      "GET /store/orders: the scope orders:own no longer suffices"
    ],
    [
      "no longer takes a scope for some types of events",
      having("paths > /events > get > x-scopes-for-types", [
        "events:pets",
        "events:inventory",
        "events:orders",
        "events:messages"
      ]),
      "GET /events: the scope events:webhooks no longer suffices for its types"
    ],
    ["moved", having("servers", [{ url: "/v2" }]), "/pets: moved from /v1 to /v2"],
    [
      "lost a parameter",
      edited(`${pets} > get > parameters`, (list) => list.slice(1)),
      "GET /pets > query parameter status: removed"
    ],
    [
      "got a required parameter",
      edited(`${pets} > get > parameters`, (list) => [...list, { ...colour, required: true }]),
      "GET /pets > query parameter colour: added, required"
    ],
    [
      "requires a parameter",
      having(`${parameters} > Cursor > required`, true),
      "GET /pets > query parameter cursor: now required"
    ],
    [
      "narrowed a parameter",
      having(`${parameters} > Limit > schema > maximum`, 50),
      "GET /pets > query parameter limit: maximum changed from 100 to 50"
    ],
    ["lost a body", without(`${pets} > post > requestBody`), "POST /pets > body: removed"],
    [
      "lost a field of an input",
      without(`${schemas} > NewCategory > properties > description`),
      "POST /categories > body > description: removed"
    ],
    [
      "requires a field of an input",
      having(`${schemas} > NewPet > required`, ["name", "categoryId", "status"]),
      "POST /pets > body > status: now required"
    ],
    [
      "raised a bound of an input",
      having(`${quantity} > minimum`, 1),
      "PATCH /inventory/{petId} > body > quantity: minimum changed from 0 to 1"
    ],
    [
      "set a bound of an input",
      having(`${schemas} > NewPet > properties > categoryId > maxLength`, 9),
      "POST /pets > body > categoryId: maxLength 9 added"
    ],
    [
      "changed a pattern",
      having(`${schemas} > NewPet > properties > name > pattern`, "^a$"),
      "POST /pets > body > name: pattern changed from"
    ],
    [
      "changed a type",
      having(`${quantity} > type`, "string"),
      'PATCH /inventory/{petId} > body > quantity: type changed from "integer" to "string"'
    ],
    [
      "changed a format",
      having(`${schemas} > Account > properties > createdAt > format`, "date"),
      'GET /accounts > 200 > items > createdAt: format changed from "date-time" to "date"'
    ],
    [
      "lost a value of an input",
      edited(`${schemas} > Preset > enum`, (values) => values.slice(1)),
      'POST /api-keys > body > preset: value "read" removed'
    ],
    [
      "no longer accepts null",
      without(`${schemas} > OrderUpdate > properties > shipDate > nullable`),
      "PATCH /store/orders/{orderId} > body > shipDate: nullable true removed"
    ],
    [
      "lost a field of a response",
      without(`${schemas} > Account > properties > createdAt`),
      "GET /accounts > 200 > items > createdAt: removed"
    ],
    [
      "no longer requires a field of a response",
      having(`${schemas} > Account > required`, ["id", "name"]),
      "GET /accounts > 200 > items > createdAt: no longer required"
    ],
    [
      "responds with null",
      having(`${schemas} > Account > properties > name > nullable`, true),
      "GET /accounts > 200 > items > name: nullable true added"
    ],
    [
      "lost a bound of a response",
      without(`${schemas} > Account > properties > id > maximum`),
      "GET /accounts > 200 > items > id: maximum 9007199254740991 removed"
    ],
    [
      "responds with a new value",
      having(`${schemas} > MessageStatus > enum`, ["queued", "delivered", "failed", "lost"]),
      'GET /messages > 200 > items > status: value "lost" added'
    ],
    [
      "lost an alternative of a response",
      without(`${schemas} > Event > discriminator > mapping > pet.created`),
      "GET /events > 200 > items > pet.created: removed"
    ],
    [
      "lost a field of an alternative",
      without(`${schemas} > PetEventData > properties > status`),
      "GET /events > 200 > items > pet.created > data > status: removed"
    ],
    [
      "no longer has a discriminator",
      without(`${schemas} > Event > discriminator`),
      'GET /events > 200 > items: discriminator {"propertyName":"type"'
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

  it("given a body with unknown fields allowed, when they are rejected, then that is breaking", () => {
    const open = without(`${schemas} > NewPet > additionalProperties`)
    assert.deepEqual(compared(open, document), [
      "! POST /pets > body: now rejects unknown fields",
      "! POST /pets/batch > body > pets > items: now rejects unknown fields"
    ])
    assert.deepEqual(compared(document, open), [])
  })

  it("given an unused schema, when it is removed, then that is breaking for generated clients", () => {
    const before = having(`${schemas} > Colour`, { type: "string" })
    assert.deepEqual(compared(before, document), ["! schema Colour: removed"])
    assert.deepEqual(compared(document, before), [])
  })

  const compatible: ReadonlyArray<readonly [string, OpenApi, ReadonlyArray<string>]> = [
    ["got an operation", having("paths > /dogs", { get: document.paths["/pets"]?.get }), ["GET /dogs: added"]],
    [
      "got an error status",
      having(`${pets} > get > responses > 451`, { description: "Not here." }),
      ["GET /pets > 451: added"]
    ],
    [
      "always sends a header of a response",
      having("components > headers > NextPageLink > required", true),
      ["GET /pets > 200 > header Link: now always sent"]
    ],
    [
      "got an error code",
      edited("components > responses > NotFound > x-error-codes", (codes) => [...codes, "lost"]),
      ["GET /accounts/{accountId} > 404: code lost added"]
    ],
    [
      "got an optional parameter",
      edited(`${pets} > get > parameters`, (list) => [...list, colour]),
      ["GET /pets > query parameter colour: added"]
    ],
    [
      "got an optional field of an input",
      having(`${schemas} > NewPet > properties > colour`, { type: "string" }),
      ["POST /pets > body > colour: added"]
    ],
    [
      "got a field of a response",
      having(`${schemas} > PetWithInventory > properties > colour`, { type: "string" }),
      ["GET /store/pets/{petId} > 200 > colour: added"]
    ],
    [
      "lowered a bound of an input",
      having(`${quantity} > minimum`, -1),
      ["PATCH /inventory/{petId} > body > quantity: minimum changed from 0 to -1"]
    ],
    [
      "accepts a new value",
      having(`${schemas} > Preset > enum`, ["read", "write", "admin", "storefront", "warehouse", "customer", "audit"]),
      ['POST /api-keys > body > preset: value "audit" added']
    ],
    [
      "got an alternative of a response",
      having(`${schemas} > Event > discriminator > mapping > pet.vaccinated`, "#/components/schemas/Pet"),
      ["GET /events > 200 > items > pet.vaccinated: added"]
    ],
    [
      "requires a scope less",
      having("paths > /store/pets/{petId} > get > x-required-scopes", ["pets:read"]),
      ["GET /store/pets/{petId}: no longer requires the scope inventory:read"]
    ],
    [
      "requires a scope less for a body",
      having("paths > /store/orders > post > x-scope-of-body > sufficesAlone", true),
      ["POST /store/orders: a body with only complete now requires only the scope orders:fulfil"]
    ],
    [
      "made a beta operation stable",
      without("paths > /session > get > x-stability"),
      ["GET /session: changed from beta to stable"]
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

  it("given a type of event more, when a response may have it, then that is compatible, and any other value breaks", () => {
    const status = `${schemas} > Pet > properties > status > enum`
    const before = having(status, ["available", "pet.created"])
    assert.notMatch(compared(before, having(status, ["available", "pet.created", "pet.lost"])).join(), /!/)
    assert.match(compared(before, having(status, ["available", "pet.created", "lost"])).join(), /!/)
  })

  it("given a pattern of alternatives, when an input has one more, then that is compatible, and one less breaks", () => {
    const withPattern = (pattern: string) => having(`${schemas} > NewPet > properties > name > pattern`, pattern)
    const [some, more] = [withPattern("^(?:a/[1-9]{0,5}|b)$"), withPattern("^(?:a/[1-9]{0,5}|c|b)$")]
    assert.match(compared(some, more).join(), /^POST \/pets > body > name: pattern changed/)
    assert.match(compared(more, some).join(), /^! POST \/pets > body > name: pattern changed/)
    assert.match(compared(some, withPattern("^(?:a/[1-9]{0,6}|b)$")).join(), /^! POST/)
  })
})

describe("a comparison of webhooks", () => {
  const post = "x-webhooks > pet.created > post"
  const stable = without(`${post} > x-stability`)

  it("given a field less in what a webhook carries, when they are compared, then that breaks receivers", () => {
    const after = without(`${schemas} > PetEventData > properties > status`, stable)
    assert.include(compared(stable, after), "! webhook pet.created > body > data > status: removed")
    assert.include(compared(document, after), "webhook pet.created > body > data > status: removed")
  })

  it("given a field more in what a webhook carries, when they are compared, then that is compatible", () => {
    const after = having(`${schemas} > PetEventData > properties > colour`, { type: "string" }, stable)
    assert.include(compared(stable, after), "webhook pet.created > body > data > colour: added")
  })

  it("given a webhook less or more, when they are compared, then only the former breaks receivers", () => {
    const fewer = without("x-webhooks > pet.created", stable)
    assert.deepEqual(compared(stable, fewer), ["! webhook pet.created: removed"])
    assert.deepEqual(compared(fewer, stable), ["webhook pet.created: added"])
  })

  it("given a document from before webhooks, when they are compared, then all are added", () => {
    assert.include(compared(without("x-webhooks"), document), "webhook pet.created: added")
  })
})

describe("the versioning policy", () => {
  const post = `${pets} > post`
  const ending = (sunset: string) =>
    edited(post, (operation) => ({ ...operation, deprecated: true, "x-sunset": sunset, "x-deprecated-sunset": sunset }))

  it("given a stable operation, when its sunset is within a year, then that is breaking", () => {
    assert.deepEqual(compared(document, ending("2027-05-03")), ["! POST /pets: sunset on 2027-05-03"])
    assert.deepEqual(compared(document, ending("2027-05-04")), ["POST /pets: sunset on 2027-05-04"])
  })

  it("given a beta operation, when its sunset is after 90 days, then that is compatible", () => {
    const beta = having(`${post} > x-stability`, "beta")
    const beforeLong = having(`${post} > x-stability`, "beta", ending("2026-08-02"))
    const tooSoon = having(`${post} > x-stability`, "beta", ending("2026-08-01"))
    assert.deepEqual(compared(beta, beforeLong), ["POST /pets: sunset on 2026-08-02"])
    assert.deepEqual(compared(beta, tooSoon), ["! POST /pets: sunset on 2026-08-01"])
  })

  it("given a sunset date, when it is moved, then only an earlier one is breaking", () => {
    assert.deepEqual(compared(ending("2030-01-01"), ending("2029-01-01")), [
      "! POST /pets: sunset moved from 2030-01-01 to 2029-01-01"
    ])
    assert.deepEqual(compared(ending("2030-01-01"), ending("2031-01-01")), [
      "POST /pets: sunset moved from 2030-01-01 to 2031-01-01"
    ])
  })

  it("given a deprecated operation, when it is removed, then that is breaking before its sunset and not from then on", () => {
    const after = without("paths > /pets/{petId} > get")
    assert.deepEqual(compared(document, after, "2030-12-04"), ["! GET /pets/{petId}: removed"])
    assert.deepEqual(compared(document, after, "2030-12-05"), ["GET /pets/{petId}: removed"])
  })

  it("given a stable operation, when it becomes beta, then that is breaking", () => {
    assert.deepEqual(compared(document, having(`${post} > x-stability`, "beta")), [
      "! POST /pets: changed from stable to beta"
    ])
  })

  it("given an experimental operation, when it changes or is removed, then nothing is breaking", () => {
    const before = having(`${post} > x-stability`, "experimental")
    assert.deepEqual(compared(before, without(post)), ["POST /pets: removed"])
    assert.deepEqual(compared(before, without(`${post} > responses > 429`, before)), ["POST /pets > 429: removed"])
  })
})
