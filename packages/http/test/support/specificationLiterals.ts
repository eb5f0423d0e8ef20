// What the interface specification says, literal by literal, with the operations that it is about and the tests that hold it.

import type { OperationId } from "../../src/api/operations.ts"

/** A test by its file, and the part of its title by which it is found there. */
export type Test = readonly [file: string, title: string]

/** A literal of the specification. */
export interface Literal {
  readonly text: string
  /** The operations that it is about. */
  readonly operations: ReadonlyArray<OperationId> | "every operation"
  readonly tests: readonly [Test, ...ReadonlyArray<Test>]
}

/** The literals of one section. */
export interface Section {
  readonly heading: string
  readonly literals: ReadonlyArray<Literal>
}

const openapi = "packages/http/src/openapi"
const server = "packages/http/src/server"
const cases = "packages/core/testing/src/petstore"
const specification = `${openapi}/specification.test.ts`

const conforms: Test = [`${openapi}/conformance.int.test.ts`, "then each response conforms to the document"]
const shape: Test = [specification, "then its fields, types, formats and required list are the specified ones"]
const meaning: Test = [specification, "then its fields have the meanings of the specification"]
const triggered: Test = [
  `${openapi}/declaredErrors.int.test.ts`,
  "when it is triggered in each operation that lists it, then the response conforms to the document"
]
const wanting: Test = [`${server}/request/badBodies.int.test.ts`, "nothing of what is required"]

type Field = readonly [name: string, type: string, meaning?: string]

/** The rows of a table of fields. */
const fields = (
  schema: string,
  operations: ReadonlyArray<OperationId>,
  rows: ReadonlyArray<Field>,
  ...tests: ReadonlyArray<Test>
): ReadonlyArray<Literal> =>
  rows.map(([name, type, what]) => ({
    text: `${schema}.${name}: ${type}${what === undefined ? "" : `. ${what}`}`,
    operations,
    tests: [shape, ...(what === undefined ? [] : [meaning]), ...tests]
  }))

const reads = {
  pets: ["listPets", "createPet", "getPet", "updatePet"],
  categories: ["listCategories", "createCategory", "getCategory", "updateCategory"],
  orders: ["listOrders", "placeOrder", "getOrder", "updateOrder"],
  inventory: ["listInventory", "getInventoryItem", "updateInventoryItem"]
} as const satisfies Record<string, ReadonlyArray<OperationId>>

const petFields: ReadonlyArray<Field> = [
  ["name", "string, required", "The animal's name."],
  ["categoryId", "integer, int64, required", "The ID of the category the animal belongs to."],
  ["status", "PetStatus, optional", "Status of the pet."]
]

const categoryFields: ReadonlyArray<Field> = [
  ["name", "string, required", "The category name."],
  ["description", "string, optional", "A short description of the category."]
]

const newId: Field = ["id", "integer, int64, required", "Unique identifier assigned on creation."]

export const sections: ReadonlyArray<Section> = [
  {
    heading: "What the service does",
    literals: [
      {
        text: "manages animals (pets), categories of animals, orders for animals, and stock (inventory) entries per animal",
        operations: [...reads.pets, ...reads.categories, ...reads.orders, ...reads.inventory],
        tests: [
          [specification, "given the tag Pets, then it has the specified operations"],
          [specification, "given the tag Store, then it has the specified operations"]
        ]
      },
      { text: "Data is exchanged as JSON", operations: "every operation", tests: [conforms] },
      {
        text: "two operation groups (tags), Pets and Store",
        operations: "every operation",
        tests: [[specification, "given the two tags of the specification, then they come first"]]
      },
      {
        text: "written in the OpenAPI 3.0.3 format",
        operations: "every operation",
        tests: [
          [specification, "then it is OpenAPI 3.0.3 of the interface version 1.0.0"],
          [`${openapi}/validators.int.test.ts`, "given the document, when it is validated, then it is valid"]
        ]
      }
    ]
  },
  {
    heading: "Resources and their fields",
    literals: [
      {
        text: "All identifiers are integers of format int64",
        operations: [...reads.pets, ...reads.categories, ...reads.orders, ...reads.inventory],
        tests: [
          [`${openapi}/openApiDocument.test.ts`, "given integers in paths and queries, then they have bounds"],
          [`${cases}/validationCases.ts`, "an id that is not a positive integer below 2^53 is rejected"]
        ]
      },
      {
        text: "PetStatus: `available`, `pending`, `sold`",
        operations: [...reads.pets, ...reads.inventory],
        tests: [
          [specification, "given PetStatus, then it is the specified enumeration"],
          [`${cases}/validationCases.ts`, "a status is one of three"]
        ]
      },
      ...fields("NewPet", ["createPet"], petFields, wanting),
      { text: "Pet: All fields of NewPet, plus", operations: reads.pets, tests: [shape] },
      ...fields("Pet", reads.pets, petFields, [
        `${cases}/petCases.ts`,
        "a new pet gets an id and version 1, and has one free unit"
      ]),
      ...fields("Pet", reads.pets, [newId], [`${cases}/petCases.ts`, "a new pet gets an id and version 1"]),
      {
        text: "Pets: An array whose items are Pet objects",
        operations: ["listPets"],
        tests: [[specification, "given Pets, then it is an array of Pet"]]
      },
      ...fields("NewCategory", ["createCategory"], categoryFields, [
        `${cases}/categoryCases.ts`,
        "a category needs no description"
      ]),
      { text: "Category: All fields of NewCategory, plus", operations: reads.categories, tests: [shape] },
      ...fields("Category", reads.categories, categoryFields, [
        `${cases}/categoryCases.ts`,
        "a new category gets an id and version 1"
      ]),
      ...fields(
        "Category",
        reads.categories,
        [newId],
        [`${cases}/categoryCases.ts`, "a new category gets an id and version 1"]
      ),
      {
        text: "Order (object; no field is marked required)",
        operations: ["placeOrder"],
        tests: [shape, [`${cases}/orderCases.ts`, "an order without any field is a draft that holds no stock"]]
      },
      ...fields(
        "Order",
        reads.orders,
        [["id", "integer, int64", "Unique order identifier."]],
        [`${cases}/orderCases.ts`, "the id of a cancelled order is never reused"]
      ),
      ...fields(
        "Order",
        reads.orders,
        [["petId", "integer, int64", "The ID of the animal in this order."]],
        [`${cases}/orderCases.ts`, "an order of an unknown pet is rejected"]
      ),
      ...fields(
        "Order",
        reads.orders,
        [["quantity", "integer", "Number of units ordered."]],
        [`${cases}/orderCases.ts`, "an order of a pet is open and reserves its units"]
      ),
      ...fields(
        "Order",
        reads.orders,
        [["shipDate", "string, format date-time", "Expected or actual ship date in ISO 8601 format."]],
        [`${cases}/orderCases.ts`, "a ship date with any offset is returned in UTC with milliseconds"]
      ),
      ...fields(
        "Order",
        reads.orders,
        [["complete", "boolean", "Whether the order has been fulfilled."]],
        [`${cases}/orderCases.ts`, "completing an order ships its units"]
      ),
      ...fields(
        "InventoryItem",
        reads.inventory,
        [
          ["petId", "integer, int64, required", "The ID of the animal this entry tracks."],
          ["quantity", "integer, required", "Current stock count."],
          ["status", "PetStatus, required", "Status of the entry."]
        ],
        [`${cases}/stockCases.ts`, "an inventory item has quantity, reserved and available units"]
      ),
      ...fields(
        "InventoryUpdate",
        ["updateInventoryItem"],
        [["quantity", "integer, required", "The new stock count."]],
        [`${cases}/stockCases.ts`, "a quantity is read as it was set"]
      ),
      ...fields(
        "Error",
        [],
        [
          ["code", "string, required", "A machine-readable error code."],
          ["message", "string, required", "A human-readable description of the error."],
          ["status", "integer, required", "The HTTP status code."]
        ],
        [`${openapi}/openApiDocument.test.ts`, "given every error response, then it has the schema Error"]
      ).map((literal): Literal => ({ ...literal, operations: "every operation" }))
    ]
  },
  {
    heading: "States and transitions",
    literals: [
      {
        text: "It appears on a pet (optional) and on an inventory item (required)",
        operations: [...reads.pets, ...reads.inventory],
        tests: [shape]
      },
      {
        text: "`complete` (false = not fulfilled, true = fulfilled)",
        operations: reads.orders,
        tests: [
          [`${cases}/orderCases.ts`, "an order of a pet is open and reserves its units"],
          [`${cases}/orderCases.ts`, "completing an order ships its units"]
        ]
      }
    ]
  },
  {
    heading: "Endpoints",
    literals: [
      {
        text: "Paths are relative to {base_url}. Bodies are JSON.",
        operations: "every operation",
        tests: [[`${openapi}/openApiDocument.test.ts`, "given a base path, then the operations are under it"], conforms]
      },
      {
        text: "GET /pets/{petId}: Deprecated, with a sunset date",
        operations: ["getPet"],
        tests: [
          [specification, "given GET /pets/{petId}, then it is deprecated with a sunset date"],
          [`${server}/routes/sunset.int.test.ts`, "given any response, then its headers show the sunset date"]
        ]
      },
      {
        text: "deprecation is surfaced as a warning on this operation",
        operations: ["getPet"],
        tests: [
          [specification, "given the date of a deprecation, then the description is true before and after that date"],
          [`${server}/routes/sunset.int.test.ts`, "then the log has a warning once an hour"]
        ]
      },
      {
        text: "GET /store/orders: Interactive try-out is disabled for this operation",
        operations: ["listOrders"],
        tests: [[specification, "given GET /store/orders, then it cannot be tried out"]]
      },
      {
        text: "Other operations on pets, categories, orders and inventory",
        operations: [...reads.pets, ...reads.categories, ...reads.orders, ...reads.inventory],
        tests: [[`${server}/routes/operations.int.test.ts`, " as in its contract"]]
      }
    ]
  },
  {
    heading: "Quickstart message operation",
    literals: [
      {
        text: "A quickstart example uses a different, generic API.",
        operations: ["sendMessage"],
        tests: [[specification, "given the other operations, then they have another tag"]]
      },
      {
        text: "Method and path: POST /messages",
        operations: ["sendMessage"],
        tests: [[specification, "given POST /messages, then it takes a message and responds with the queued one"]]
      },
      {
        text: "Request headers: `Authorization: Bearer <API_KEY>`, `Content-Type: application/json`",
        operations: ["sendMessage"],
        tests: [
          triggered,
          [`${server}/request/headers.int.test.ts`, "given a Content-Type with parameters or in capitals"]
        ]
      },
      {
        text: "Request body: object with a `message` field (string); the field must be present",
        operations: ["sendMessage"],
        tests: [
          [specification, "given POST /messages, then it takes a message and responds with the queued one"],
          [`${cases}/validationCases.ts`, "a message has 1 to 16384 characters"]
        ]
      },
      {
        text: "Response body: object with `id` (string), `message` (string), `status` (string), `createdAt` (string, ISO 8601 timestamp)",
        operations: ["sendMessage"],
        tests: [[specification, "given POST /messages, then it takes a message and responds with the queued one"]]
      },
      {
        text: "the value `queued` means the request was only queued",
        operations: ["sendMessage"],
        tests: [[`${cases}/messageCases.ts`, "a message is queued"]]
      }
    ]
  },
  {
    heading: "Authentication",
    literals: [
      {
        text: "creating an account and generating an API key",
        operations: ["createAccount", "createApiKey"],
        tests: [[`${cases}/apiKeyCases.ts`, "a new key is shown with its secret, once"]]
      },
      {
        text: "sent in the `Authorization` header as `Bearer <API_KEY>`",
        operations: "every operation",
        tests: [
          [`${openapi}/openApiDocument.test.ts`, "given every operation, then the document requires a key"],
          [`${server}/authentication/credentials.int.test.ts`, "given credentials of another form than Bearer"]
        ]
      },
      {
        text: "A missing or invalid key yields a 401 Unauthorized response",
        operations: "every operation",
        tests: [
          triggered,
          [`${server}/authentication/credentials.int.test.ts`, "given a key with any one character changed"]
        ]
      }
    ]
  },
  {
    heading: "Errors",
    literals: [
      {
        text: "Error bodies have the shape of the Error object (`code`, `message`, `status`, all required)",
        operations: "every operation",
        tests: [
          shape,
          [`${openapi}/openApiDocument.test.ts`, "given every error response, then it has the schema Error"]
        ]
      },
      {
        text: "`status` repeats the HTTP status code",
        operations: "every operation",
        tests: [[`${server}/response/errorResponse.test.ts`, " and the body and headers of that error"]]
      },
      {
        text: "401 Unauthorized: the API key is missing or invalid, or the `Authorization` header does not use the Bearer form",
        operations: "every operation",
        tests: [
          triggered,
          [`${server}/authentication/credentials.int.test.ts`, "given credentials of another form than Bearer"]
        ]
      },
      {
        text: "400 Bad Request: the request body is invalid JSON",
        operations: "every operation",
        tests: [[`${server}/request/badBodies.int.test.ts`, "a body that is no JSON"]]
      },
      {
        text: "400 Bad Request: a required field (such as `message` in the quickstart operation) is missing",
        operations: ["createPet", "createCategory", "updateInventoryItem", "sendMessage"],
        tests: [wanting]
      },
      {
        text: "400 Bad Request: `Content-Type: application/json` is not sent",
        operations: "every operation",
        tests: [[`${server}/request/headers.int.test.ts`, "unsupported_content_type"]]
      }
    ]
  },
  {
    heading: "Versioning",
    literals: [
      {
        text: "interface version 1.0.0 and format OpenAPI 3.0.3",
        operations: "every operation",
        tests: [[specification, "then it is OpenAPI 3.0.3 of the interface version 1.0.0"]]
      },
      {
        text: "Some operations carry a stability mark, `experimental` or `beta`",
        operations: ["getPetRecord", "updatePetRecord"],
        tests: [
          [`${openapi}/extensions.test.ts`, "given a beta operation, then it is beta under each name"],
          [`${openapi}/extensions.test.ts`, "given an experimental operation, then it is experimental under each name"]
        ]
      },
      {
        text: "GET /pets/{petId} is deprecated and has a sunset date",
        operations: ["getPet"],
        tests: [[specification, "given GET /pets/{petId}, then it is deprecated with a sunset date"]]
      }
    ]
  }
]
