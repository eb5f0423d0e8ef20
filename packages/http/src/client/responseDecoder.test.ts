import { assert, describe, it } from "@effect/vitest"
import { nextCursor } from "./responseDecoder.ts"

const headers: ReadonlyArray<readonly [header: string | null, cursor: string | undefined]> = [
  [null, undefined],
  ["", undefined],
  ['</v1/pets?limit=2&cursor=MTIz>; rel="next"', "MTIz"],
  ["</v1/pets?cursor=MTIz>; rel=next", "MTIz"],
  ['<https://pets.example/v1/pets?cursor=a%2Bb#top>; rel="next"', "a+b"],
  ['<?cursor=MTIz>; REL="NEXT"', "MTIz"],
  ['</v1/pets?name=a,b&cursor=MTIz>; title="a, <b>; rel=\\"next\\""; rel="last next"', "MTIz"],
  ['</docs>; rel="deprecation"; type="text/html", </v1/pets?cursor=MTIz>; rel="next"', "MTIz"],
  ['</v1/pets?cursor=first>; rel="prev", </v1/pets?cursor=second>;rel="next"', "second"],
  ['</docs>; rel="deprecation"; type="text/html", </docs>; rel="sunset"', undefined],
  ['</v1/pets?cursor=MTIz>; rel="next-archive"', undefined],
  ['</v1/pets?cursor=MTIz>; title="rel=next"', undefined],
  ["</v1/pets?cursor=MTIz>", undefined],
  ["no link at all", undefined]
]

describe("the next page of a Link header", () => {
  for (const [header, cursor] of headers) {
    it(`given ${header}, then its cursor is ${cursor}`, () => {
      assert.deepStrictEqual(nextCursor(header), cursor === undefined ? undefined : { cursor })
    })
  }

  it("given a next page without a cursor, then it is lost", () => {
    assert.strictEqual(nextCursor('</v1/pets?limit=2>; rel="next"'), "lost")
    assert.strictEqual(nextCursor('</v1/pets>; rel="next"'), "lost")
  })
})
