import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { newPet } from "../../testing/src/arbitraries.ts"
import { aNewPet } from "../../testing/src/builders.ts"
import { corrupted } from "../../testing/src/corrupted.ts"
import { NewApiKey } from "./access/ApiKey.ts"
import { Id } from "./Id.ts"
import { NewOrders, OrderUpdate } from "./orders/Order.ts"
import { PageQuery } from "./PageQuery.ts"
import { NewPet, NewPets } from "./pets/Pet.ts"
import { RecordUpdate } from "./records/ResourceRecord.ts"
import { shown } from "./shown.ts"
import { type Validated, validator } from "./validate.ts"

const validate = validator(NewPet)

const unknownField = `Unknown field; the known ones are ${Object.keys(NewPet.fields).join(", ")}`

/** `{ path: message }` of what is wrong; empty where nothing is. */
const wrongs = (validated: Validated<unknown>): { readonly [path: string]: string } =>
  Result.isSuccess(validated) ? {} : Object.fromEntries(validated.failure.map(({ message, path }) => [path, message]))

const wrong = (input: unknown) => wrongs(validate("/body", input))

const optional = { name: Schema.optionalKey(Schema.String) }
const names = Schema.Record(Schema.String, Schema.String)
const wrongAt = (path: string, message: string) => Result.fail([{ path, message }])

describe("given something else than an object", () => {
  const others = [
    null,
    undefined,
    [],
    [aNewPet()],
    "",
    "{}",
    0,
    1,
    Number.NaN,
    true,
    1n,
    Symbol("pet"),
    () => aNewPet()
  ]
  for (const input of others) {
    it(`as ${typeof input} ${Array.isArray(input) ? "array" : String(input)}, then an object is asked for`, () => {
      assert.deepStrictEqual(wrong(input), { "/body": `Expected an object, not ${shown(input)}` })
    })
  }

  for (const [input, text] of [
    [new Map([["name", "Rex"]]), "a Map"],
    [new FormData(), "a FormData"],
    [new Date(0), "a Date"],
    [Promise.resolve({ name: "Rex" }), "a promise: await it"],
    [Object.assign(Promise.resolve(), { name: "Rex" }), "a promise: await it"]
  ] as const) {
    it(`as ${text}, then it is not read as an object without fields, at any place`, () => {
      const change = validator(Schema.Struct({ ...optional, nested: Schema.optionalKey(Schema.NullOr(names)) }))
      assert.deepStrictEqual(change("/body", input), wrongAt("/body", `Expected an object, not ${text}`))
      assert.deepStrictEqual(
        change("/body", { nested: input }),
        wrongAt("/body/nested", `Expected an object, not ${text}`)
      )
    })
  }

  it("as an instance whose class has the fields as getters, then they are read", () => {
    class Change {
      get name() {
        return "Rex"
      }
    }
    const change = validator(Schema.Struct(optional))
    assert.deepStrictEqual(change("/body", new Change()), Result.succeed({ name: "Rex" }))
    assert.deepStrictEqual(change("/body", Object.create(null)), Result.succeed({}))
    assert.deepStrictEqual(change("/body", runInNewContext("({})")), Result.succeed({}))
  })

  it("as a promise, then it says to await it", () => {
    assert.deepStrictEqual(wrong(Promise.resolve(aNewPet())), {
      "/body": "Expected an object, not a promise: await it"
    })
    assert.deepStrictEqual(wrong({ ...aNewPet(), categoryId: Promise.resolve(1) }), {
      "/body/categoryId": "Expected a whole number from 1 to 9007199254740991, not a promise: await it"
    })
  })
})

describe("given an object", () => {
  it("that is right, then it is taken, as a copy", () => {
    const input = Object.freeze(aNewPet())
    const validated = validate("/body", input)
    assert.deepStrictEqual(validated, Result.succeed(input))
    assert.isFalse(Result.isSuccess(validated) && validated.success === input)
  })

  it("with several violations, then all are reported at once", () => {
    assert.deepStrictEqual(wrong({ categoryId: "1", status: "asleep", collar: "red" }), {
      "/body/collar": unknownField,
      "/body/name": "Missing field",
      "/body/categoryId": 'Expected a whole number from 1 to 9007199254740991, not "1"',
      "/body/status": 'Expected "available", "pending" or "sold", not "asleep"'
    })
  })

  it("with null where a value is required, then null is not taken for absent", () => {
    assert.deepStrictEqual(wrong({ ...aNewPet(), name: null, status: null }), {
      "/body/name": "Expected a string, not null",
      "/body/status": 'Expected "available", "pending" or "sold", not null'
    })
  })

  it("with a field that is undefined, then it counts as absent, as JSON would have it", () => {
    const input = { ...aNewPet(), status: undefined, collar: undefined }
    assert.deepStrictEqual(validate("/body", input), validate("/body", JSON.parse(JSON.stringify(input))))
    assert.deepStrictEqual(wrong({ name: undefined, categoryId: 1 }), { "/body/name": "Missing field" })
  })

  it("without a prototype, then it is taken like any other", () => {
    assert.deepStrictEqual(wrong(Object.assign(Object.create(null), aNewPet())), {})
  })

  it("that refers to itself, then that is no trouble", () => {
    const input: { [field: string]: unknown } = { categoryId: 1 }
    input.name = input
    assert.deepStrictEqual(wrong(input), { "/body/name": "Expected a string, not an object" })
  })

  it("with a field that throws when it is read, then plain data is asked for", () => {
    const fail = () => {
      throw new Error("cannot be read")
    }
    const getter = Object.defineProperty(aNewPet(), "name", { enumerable: true, get: fail })
    for (const input of [getter, new Proxy(aNewPet(), { get: fail }), new Proxy(aNewPet(), { ownKeys: fail })]) {
      assert.deepStrictEqual(wrong(input), { "/body": "Expected plain data" })
    }
  })

  it("nested a hundred thousand times, then that is no trouble", () => {
    let name: unknown = "Rex"
    for (let depth = 0; depth < 100_000; depth++) name = [name]
    assert.deepStrictEqual(wrong({ ...aNewPet(), name }), { "/body/name": "Expected a string, not an array" })
  })
})

describe("given a field named as something that every object has", () => {
  for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
    it(`as ${name}, then it is unknown, and no object changes`, () => {
      const input = JSON.parse(`{"name": "Rex", "categoryId": 1, "${name}": {"status": "sold"}}`)
      assert.deepStrictEqual(wrong(input), { [`/body/${name}`]: unknownField })
      assert.notProperty({}, "status")
    })
  }

  it("as __proto__ alone, then its fields do not stand in for the missing ones", () => {
    assert.deepStrictEqual(wrong(JSON.parse('{"__proto__": {"name": "Rex", "categoryId": 1}}')), {
      "/body/__proto__": unknownField,
      "/body/name": "Missing field",
      "/body/categoryId": "Missing field"
    })
  })

  it("as __proto__ beside a field that is undefined, then it is unknown still", () => {
    const input = Object.assign(JSON.parse('{"name": "Rex", "categoryId": 1, "__proto__": null}'), {
      status: undefined
    })
    assert.deepStrictEqual(wrong(input), { "/body/__proto__": unknownField })
  })
})

describe("the path of a violation", () => {
  it("is a JSON pointer: ~ and / in a name are escaped", () => {
    const paths = ["a/b", "~", "~1", "", " ", "é🐶"].map((name) => Object.keys(wrong({ ...aNewPet(), [name]: 1 }))[0])
    assert.deepStrictEqual(paths, ["/body/a~1b", "/body/~0", "/body/~01", "/body/", "/body/ ", "/body/é🐶"])
  })

  it("starts with the place that the input came from", () => {
    assert.deepStrictEqual(
      validator(PageQuery)("/query", { limit: 101 }),
      Result.fail([{ path: "/query/limit", message: "Expected a whole number from 1 to 100, not 101" }])
    )
    assert.deepStrictEqual(
      validator(Schema.Struct({ petId: Id }))("/path", { petId: 0 }),
      Result.fail([{ path: "/path/petId", message: "Expected a whole number from 1 to 9007199254740991, not 0" }])
    )
  })

  it("names the item of an array", () => {
    const validated = validator(NewApiKey)("/body", { accountId: 1, name: "till", scopes: ["pets:read", null] })
    assert.deepStrictEqual(Object.keys(wrongs(Result.map(validated, () => aNewPet()))), ["/body/scopes/1"])
  })

  it("is cut where a client made up an endless name", () => {
    const shortest = "x".repeat(100)
    assert.deepStrictEqual(Object.keys(wrong({ ...aNewPet(), [shortest]: 1, ["x".repeat(200_000)]: 1 })), [
      `/body/${shortest}`,
      `/body/${shortest}…`
    ])
  })
})

describe("the message of a violation", () => {
  it("names what a nullable field accepts", () => {
    assert.deepStrictEqual(
      validator(OrderUpdate)("/body", { shipDate: 7 }),
      Result.fail([
        {
          path: "/body/shipDate",
          message: "Expected an RFC 3339 date-time with an offset, such as 2026-05-04T09:30:00Z or null, not 7"
        }
      ])
    )
  })

  it("names the expected kind of value for every schema", () => {
    const schema = Schema.Struct({
      flag: Schema.Boolean,
      list: Schema.Array(Schema.String),
      count: Schema.Number,
      kind: Schema.Literal("dog"),
      code: Schema.Literals([1, 2]),
      inner: Schema.Struct({ text: Schema.String }),
      either: Schema.Union([Schema.String, Schema.Boolean]),
      either2: Schema.Union([Id, Schema.Null])
    })
    const validated = validator(schema)("/body", {
      flag: "yes",
      list: {},
      count: "1",
      kind: "cat",
      code: 3,
      inner: { text: 1, more: 1 },
      either: 1,
      either2: "1"
    })
    assert.deepStrictEqual(
      validated,
      Result.fail([
        { path: "/body/flag", message: 'Expected true or false, not "yes"' },
        { path: "/body/list", message: "Expected an array, not an object" },
        { path: "/body/count", message: 'Expected a number, not "1"' },
        { path: "/body/kind", message: 'Expected "dog", not "cat"' },
        { path: "/body/code", message: "Expected 1 or 2, not 3" },
        { path: "/body/inner/more", message: "Unknown field; the known ones are text" },
        { path: "/body/inner/text", message: "Expected a string, not 1" },
        { path: "/body/either", message: "Expected a string or true or false, not 1" },
        { path: "/body/either2", message: 'Expected a whole number from 1 to 9007199254740991 or null, not "1"' }
      ])
    )
  })

  it("has what was received, but neither secrets nor long texts", () => {
    for (const secret of [
      "psk_1_hunter2",
      "whsec_hunter2",
      "https://hooks.example/hunter2",
      `hunter2${"x".repeat(34)}`
    ]) {
      const text = JSON.stringify(wrong({ name: [secret], categoryId: secret, status: secret }))
      assert.notInclude(text, "hunter2")
      assert.include(text, `not a string of ${secret.length} characters`)
    }
  })

  it("suggests the text of a choice that was meant", () => {
    assert.deepStrictEqual(wrong({ ...aNewPet(), status: "Availble" }), {
      "/body/status": 'Expected "available", "pending" or "sold", not "Availble"; did you mean "available"?'
    })
    assert.notInclude(JSON.stringify(wrong({ ...aNewPet(), status: "gone" })), "did you mean")
  })

  it("suggests the field that was meant, and tells an option from a field", () => {
    const input = { ...aNewPet(), category_id: 1, statsu: "sold", idempotencyKey: "a" }
    assert.deepStrictEqual(wrong(input), {
      "/body/category_id": "Unknown field; did you mean categoryId?",
      "/body/statsu": "Unknown field; did you mean status?",
      "/body/idempotencyKey":
        "Unknown field: methods that take idempotencyKey have it as an option, in their last argument"
    })
  })
})

describe("given endless violations", () => {
  it("then the first hundred are reported", () => {
    const input = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, 1]))
    assert.deepStrictEqual(
      Object.keys(wrong(input)),
      Object.keys(input)
        .slice(0, 100)
        .map((name) => `/body/${name}`)
    )
  })

  it("of elements, then no more are looked for than are reported", () => {
    let checked = 0
    const never = Schema.String.check(
      Schema.makeFilter(() => {
        checked++
        return "Expected something else"
      })
    )
    const check = validator(Schema.Struct({ names: Schema.Array(Schema.Struct({ name: never })) }))
    const found = check("/body", { names: Array.from({ length: 5_000 }, () => ({ name: "Rex" })) })
    assert.deepStrictEqual(
      Object.keys(wrongs(found)),
      Array.from({ length: 100 }, (_, index) => `/body/names/${index}/name`)
    )
    // The first is found twice: before, all of them might have been valid.
    assert.strictEqual(checked, 101)
  })

  it("of unknown fields in elements, then the hundred are counted over all of them", () => {
    const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field${index}`, 1]))
    const found = validator(NewPets)("/body", {
      pets: Array.from({ length: 1_000 }, () => ({ ...aNewPet(), ...unknown }))
    })
    assert.lengthOf(Result.isFailure(found) ? found.failure : [], 100)
  })
})

describe("given more than a list or an object may have", () => {
  it("then that is all that is reported, and nothing in it is looked at", () => {
    const orders = new Proxy([], {
      get: (list, key) =>
        key === "length" ? 15_000 : typeof key === "string" && /\d/.test(key) ? assert.fail() : Reflect.get(list, key)
    })
    assert.deepStrictEqual(wrongs(validator(NewOrders)("/body", { orders, age: 3 })), {
      "/body/orders": "Expected at most 100 orders"
    })
    const metadata = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key ${index}`, 1]))
    assert.deepStrictEqual(wrongs(validator(RecordUpdate)("/body", { metadata })), {
      "/body/metadata": "Expected at most 50 keys"
    })
  })

  it("when it is in an element of a list, then that is all that is reported, too", () => {
    const names = Schema.Array(Schema.String).check(Schema.isMaxLength(2, { message: "Expected at most 2 names" }))
    const check = validator(Schema.Array(Schema.Struct({ names })))
    assert.deepStrictEqual(wrongs(check("/body", [{ names: [] }, { names: [1, 2, 3] }])), {
      "/body/1/names": "Expected at most 2 names"
    })
  })
})

it.prop("one validator may be used again and again", { input: corrupted(newPet) }, ({ input }) => {
  assert.deepStrictEqual(wrong(input), wrong(input))
  assert.deepStrictEqual(wrong(aNewPet()), {})
})
