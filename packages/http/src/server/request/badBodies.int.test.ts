import { assert, describe, it } from "@effect/vitest"
import { limits } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { bytes, pet, testBadRequests } from "../../../test/support/badRequests.ts"
import { startServer } from "../../../test/support/TestServer.ts"

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

describe("a bad body", () => {
  testBadRequests({
    "a body that is no JSON": { raw: '{"name":', code: "malformed_json" },
    "JSON with something after it": { raw: `${JSON.stringify(pet)} x`, code: "malformed_json" },
    "an empty body": { raw: "", code: "malformed_json" },
    "a blank body": { raw: " \n", code: "malformed_json" },
    "a body of NaN": { raw: '{"name":"Rex","categoryId":NaN}', code: "malformed_json" },
    "a body with a byte order mark": { raw: `\ufeff${JSON.stringify(pet)}`, code: "malformed_json" },
    "bytes that are not UTF-8": { raw: bytes('{"name":"R', 0xff, 0x22, 0x7d), code: "malformed_json" },
    "UTF-8 that ends in mid-character": { raw: bytes('{"name":"R', 0xe2, 0x82), code: "malformed_json" },
    "UTF-16": { raw: new Uint8Array(Buffer.from(JSON.stringify(pet), "utf16le")), code: "malformed_json" },
    "an array": { body: [pet], code: "validation_failed", paths: ["/body"] },
    null: { body: null, code: "validation_failed", paths: ["/body"] },
    "a string": { body: "Rex", code: "validation_failed", paths: ["/body"] },
    "a number": { body: 7, code: "validation_failed", paths: ["/body"] },
    "deep nesting": { raw: nested(50_000), code: "validation_failed", paths: ["/body"] },
    "nothing of what is required": { body: {}, code: "validation_failed", paths: ["/body/name", "/body/categoryId"] },
    "null in place of a required field": {
      body: { name: null, categoryId: null },
      code: "validation_failed",
      paths: ["/body/name", "/body/categoryId"]
    },
    "an unknown field": { body: { ...pet, colour: "red" }, code: "validation_failed", paths: ["/body/colour"] },
    "an id on a new pet": { body: { ...pet, id: 7 }, code: "validation_failed", paths: ["/body/id"] },
    "a field named __proto__": {
      raw: '{"name":"Rex","categoryId":1,"__proto__":{"status":"sold"}}',
      code: "validation_failed",
      paths: ["/body/__proto__"]
    },
    "a field named constructor": {
      body: { ...pet, constructor: {} },
      code: "validation_failed",
      paths: ["/body/constructor"]
    },
    "a lone surrogate": {
      raw: '{"name":"R\\ud800x","categoryId":1}',
      code: "validation_failed",
      paths: ["/body/name"]
    },
    ...Object.fromEntries(
      [
        "0",
        "-0",
        "-1",
        "1.5",
        "1.0000000000000000001",
        "1e-400",
        '"1"',
        "9007199254740992",
        "9007199254740991.4",
        "9007199254740993",
        "1e400",
        "-1e400",
        "true",
        "[1]"
      ].map((id) => [
        `a categoryId of ${id}`,
        { raw: `{"name":"Rex","categoryId":${id}}`, code: "validation_failed", paths: ["/body/categoryId"] }
      ])
    ),
    "stock that a double would round to a whole number": {
      method: "PATCH",
      path: "/v1/inventory/1",
      raw: '{"quantity":1e-400}',
      code: "validation_failed",
      paths: ["/body/quantity"]
    }
  })
})

/** Bodies, and where each is not JSON. The text is the same on every Node.js. */
const faults: ReadonlyArray<readonly [raw: string | Uint8Array<ArrayBuffer>, fault: string]> = [
  ["", "The body is empty"],
  [" \n", "The body is not valid JSON: line 2, column 1: expected a value, not the end"],
  ['{"name":', "The body is not valid JSON: line 1, column 9: expected a value, not the end"],
  ['{\n  "name": "Rex",\n}', "The body is not valid JSON: line 3, column 1: expected a name in double quotes, not }"],
  ["[object Object]", "The body is not valid JSON: line 1, column 2: expected a value or ], not o"],
  ["\ufeff{}", "The body is not valid JSON: line 1, column 1: expected a value, not U+FEFF"],
  [bytes('{"name":"R', 0xff, 0x22, 0x7d), "The body is not UTF-8 from byte 11"],
  [bytes('{"name":"R', 0xe2, 0x82), "The body is not UTF-8 from byte 11"],
  [bytes('{"name":"\ufffd', 0xff, 0x22, 0x7d), "The body is not UTF-8 from byte 13"]
]

describe("a body", () => {
  it.effect("given one that is not JSON, then the message names its first fault, with the place", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      for (const [raw, fault] of faults) {
        const reply = yield* server.send("POST", "/v1/pets", { raw })
        assert.deepInclude(reply.body, { code: "malformed_json", message: `${fault}. Send one JSON object.` })
      }
    })
  )

  it.effect("given input at the published limits, then it is accepted to the last character", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const longest = { name: "é".repeat(limits.categoryName), description: "😀".repeat(limits.description) }
      const made = yield* server.send("POST", "/v1/categories", { body: longest })
      assert.strictEqual(made.status, 201, made.text)
      const message = yield* server.send("POST", "/v1/messages", { body: { message: "😀".repeat(limits.message) } })
      assert.strictEqual(message.status, 202, message.text.slice(0, 200))
    })
  )
})
