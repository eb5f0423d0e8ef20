import { assert, describe, it } from "@effect/vitest"
import { Event, EventType, eventTypes, WebhookEvent } from "@petstore/core/domain"
import { arbitraries } from "@petstore/testing"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import fc from "fast-check"
import { conforms, invalidated, valueFor } from "../../../../laboratory/fuzz/values.ts"
import { eventDocs } from "../api/eventDocs.ts"
import { schemaReference } from "./fromJsonSchema.ts"
import { openApiDocument } from "./openApiDocument.ts"

const { schemas } = openApiDocument().components
const docs = eventDocs()

/** One object for each schema, which is compiled once. */
const event = schemaReference("Event")
const published = new Map(
  Object.entries(schemas.Event?.discriminator?.mapping ?? {}).map(([type, $ref]) => [type, { $ref }] as const)
)
const publishedAs = (type: EventType) => published.get(type) ?? assert.fail(`${type} has no schema`)

describe("the published schemas of events", () => {
  for (const type of EventType.literals) {
    it(`given ${type}, then its example is an event of this type alone, as it is recorded`, () => {
      const { example } = docs[type]
      const { collection, schema } = eventTypes[type]
      assert.deepStrictEqual<unknown>(Schema.decodeUnknownSync(Event)(example), example)
      assert.isTrue(Schema.is(schema)(example))
      assert.match(example.subject, new RegExp(`^${collection}/`))
      assert.deepEqual(
        EventType.literals.filter((other) => conforms(publishedAs(other), example)),
        [type]
      )
    })

    it(`given any value for ${type}, then the schema accepts exactly what the client reads`, () => {
      const read = SchemaParser.decodeUnknownResult(eventTypes[type].schema)
      const schema = publishedAs(type)
      const verdicts = new Set<boolean>()
      const valid = fc.oneof(valueFor(schema), fc.constant<unknown>(docs[type].example))
      fc.assert(
        fc.property(fc.oneof(valid, valid.chain(invalidated)), (value) => {
          const sent: unknown = JSON.parse(JSON.stringify(value))
          const accepted = Result.isSuccess(read(sent))
          verdicts.add(accepted)
          assert.strictEqual(conforms(schema, sent), accepted, JSON.stringify(sent))
        }),
        { numRuns: 150 }
      )
      assert.strictEqual(verdicts.size, 2, "values that are accepted, and values that are rejected")
    })
  }

  it.prop("given any event, then it is valid by the schema", { value: arbitraries.event }, ({ value }) =>
    conforms(event, value)
  )

  it.prop(
    "given any event with the type of another, then it is valid only if that one carries the same",
    { value: arbitraries.event, type: arbitraries.eventType },
    ({ type, value }) => {
      const changed = { ...value, type }
      const read = SchemaParser.decodeUnknownResult(Event)
      assert.strictEqual(conforms(event, changed), Result.isSuccess(read(changed)))
    }
  )

  it.prop("given any event, when it is read, then it is the same", { value: arbitraries.webhookEvent }, ({ value }) => {
    assert.deepStrictEqual<unknown>(Schema.decodeUnknownSync(WebhookEvent)(JSON.parse(JSON.stringify(value))), value)
  })
})
