import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { linkWriter } from "./successResponse.ts"

/** The same, by the parser and the serializer of the platform alone. */
const expected = (query: string, cursor: string): string => {
  const parameters = new URLSearchParams(`&${query}`)
  parameters.set("cursor", cursor)
  parameters.sort()
  return `</v1/pets?${parameters}>; rel="next"`
}

const text = fc.oneof(
  fc.constantFrom(
    "cursor",
    "limit",
    "status",
    "xcursor",
    "cursor2",
    "",
    "a.b-c_d",
    "*",
    "~",
    "%20",
    "+",
    "é",
    "%",
    "?"
  ),
  fc.string({ maxLength: 3 }).map((value) => value.replace(/[&=#]/g, ""))
)
const pair = fc.oneof(
  fc.tuple(text, text).map(([name, value]) => `${name}=${value}`),
  text
)
const query = fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.join("&"))

const linkTo = linkWriter()

describe("the link to the next page", () => {
  it("given any query, then it has the same parameters with the new cursor, as URLSearchParams writes them", () => {
    fc.assert(
      fc.property(query, fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/), (sent, cursor) => {
        // A second cursor is rejected before.
        fc.pre(new URLSearchParams(sent).getAll("cursor").length <= 1)
        for (let n = 0; n < 2; n++) assert.strictEqual(linkTo("/v1/pets", sent, cursor), expected(sent, cursor))
      }),
      { numRuns: 2_000 }
    )
  })

  it("given the same filters in other words, then it is the same, and lists keep their order", () => {
    const next = '</v1/pets?cursor=c&id=3&id=1&limit=2&status=sold>; rel="next"'
    for (const sent of [
      "limit=2&status=sold&id=3&id=1",
      "id=3&id=1&cursor=b&status=sold&limit=2",
      "&status=%73old&&id=3&%6cimit=2&id=1&",
      "id=3&cursor=&id=%31&limit=2&status=sold"
    ]) {
      assert.strictEqual(linkTo("/v1/pets", sent, "c"), next, sent)
    }
  })
})
