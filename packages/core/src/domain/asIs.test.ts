import { assert, describe, it } from "@effect/vitest"
import type { Arbitrary } from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { inventoryUpdate, newOrder, orderUpdate } from "../../testing/src/arbitraries.ts"
import { oneOf } from "../../testing/src/combine.ts"
import { corrupted } from "../../testing/src/corrupted.ts"
import { asIs, readerAsIs, testOfField } from "./asIs.ts"
import { Id, integer } from "./Id.ts"
import { InventoryUpdate } from "./inventory/InventoryItem.ts"
import { Order, OrderUpdate } from "./orders/Order.ts"

const inputs: Readonly<
  Record<string, { readonly schema: Schema.ConstraintDecoder<object>; readonly input: Arbitrary<object> }>
> = {
  "a new order": { schema: Order, input: newOrder },
  "a change of an order": { schema: OrderUpdate, input: orderUpdate },
  "a stock count": { schema: InventoryUpdate, input: inventoryUpdate }
}

for (const [name, { input, schema }] of Object.entries(inputs)) {
  describe(`given ${name}, valid or not`, () => {
    const read = readerAsIs(schema)
    const decode = SchemaParser.decodeUnknownSync(schema, { errors: "all", onExcessProperty: "error" })
    let kept = 0

    it.prop(
      "then what is kept as it is, the schema accepts and keeps",
      { sent: oneOf<unknown>(input, corrupted(input)) },
      ({ sent }) => {
        const found = read?.(sent)
        if (found === undefined) return
        kept++
        assert.notStrictEqual(found, sent)
        assert.deepStrictEqual(found, decode(sent))
      }
    )

    it("then some inputs are kept", () => {
      assert.isAbove(kept, 10)
    })
  })
}

describe("given a schema of objects", () => {
  const read = readerAsIs(
    Schema.Struct({ id: Id, count: Schema.optionalKey(integer(0, 9)), at: Schema.optionalKey(Schema.String) })
  )

  it("when all fields have tests that accept them, then a copy is returned", () => {
    const sent = Object.freeze({ id: 1, count: 0 })
    assert.deepStrictEqual(read?.(sent), sent)
    assert.notStrictEqual(read?.(sent), sent)
  })

  const others = {
    "a field without a test": { id: 1, at: "now" },
    "a field that its test does not accept": { id: 0 },
    "a number that would be changed": { id: 1, count: -0 },
    "an undefined field": { id: 1, count: undefined },
    "an unknown field": { id: 1, name: "Rex" },
    "a field named by a symbol": { id: 1, [Symbol("id")]: 1 },
    "no required field": { count: 1 },
    "another prototype": Object.create({ id: 1 }),
    "no prototype": Object.assign(Object.create(null), { id: 1 }),
    "no object": 1,
    null: null,
    "an array": [1]
  }
  for (const [name, sent] of Object.entries(others)) {
    it(`when an input has ${name}, then the schema must read it`, () => {
      assert.isUndefined(read?.(sent))
    })
  }
})

describe("given a schema that has more to say than its fields", () => {
  const fields = { id: Id }
  const schemas = {
    "a check of the whole": Schema.Struct(fields).check(Schema.makeFilter(() => "No")),
    "a transformation of the whole": Schema.Struct(fields).pipe(Schema.decodeTo(Schema.Struct(fields))),
    "a required field without a test": Schema.Struct({ ...fields, name: Schema.String }),
    "a field whose schema is made of one with a test": Schema.Struct({ id: Id.annotate({ title: "ID" }) }),
    "no field with a test": Schema.Struct({ name: Schema.optionalKey(Schema.String) }),
    "no fields": Schema.String
  }
  for (const [name, schema] of Object.entries(schemas)) {
    it(`such as ${name}, then it reads every input`, () => {
      assert.isUndefined(readerAsIs(schema))
    })
  }

  it("and a test, then the test is not used for what is made of it", () => {
    const even = asIs(Schema.Number.check(Schema.isInt()), (value) => value === 2)
    assert.isDefined(readerAsIs(Schema.Struct({ even })))
    assert.isUndefined(readerAsIs(Schema.Struct({ even: even.check(Schema.isGreaterThan(2)) })))
  })
})

describe("given the only field of an object", () => {
  it("when its test accepts a value, then its value alone is enough", () => {
    const accepts = testOfField(Schema.Struct({ id: Id }), "id")
    assert.isTrue(accepts(1))
    assert.isFalse(accepts(0))
  })

  const others = {
    "another field": Schema.Struct({ id: Id, count: Schema.optionalKey(Schema.Number) }),
    "a check of the whole": Schema.Struct({ id: Id }).check(Schema.makeFilter(() => "No")),
    "no test": Schema.Struct({ id: Schema.Number })
  }
  for (const [name, schema] of Object.entries(others)) {
    it(`when the object has ${name}, then its test accepts nothing`, () => {
      assert.isFalse(testOfField(schema, "id")(1))
    })
  }
})
