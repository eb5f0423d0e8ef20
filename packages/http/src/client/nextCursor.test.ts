import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { nextCursor } from "./nextCursor.ts"

const headers: ReadonlyArray<readonly [header: string, cursor: string | undefined]> = [
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
  ['</v1/pets#?cursor=old>; rel="prev", </v1/pets?cursor=new#?cursor=old>; rel="next"', "new"],
  ['<#?cursor=MTIz>; rel="prev"', undefined],
  ['</v1/pets?cursor=MTIz>; rel="next"; anchor="/v1/orders"', undefined],
  ['</v1/pets?cursor=MTIz>; rel="prev"; rel="next"', undefined],
  ['</v1/pets?cursor=MTIz>; rel="\\next"', "MTIz"],
  [" , </style.css>;rel=preload;as=style;nopush,, </v1/pets?cursor=MTIz> ; rel = next ; ,", "MTIz"],
  ["</docs>; rel=help,", undefined]
]

const malformed = [
  "no link at all",
  '/v1/pets?cursor=MTIz; rel="next"',
  '</v1/pets?cursor=MTIz; rel="next"',
  '</docs>; title="</v1/pets?cursor=MTIz>; rel=next',
  'text, </v1/pets?cursor=MTIz>; rel="next"',
  '</docs> rel="help", </v1/pets?cursor=MTIz>; rel="next"',
  '</docs>; rel="help" </v1/pets?cursor=MTIz>; rel="next"',
  '</v1/pets?cursor=MTIz>; rel="next"x'
]

describe("the next page of a Link header", () => {
  for (const [header, cursor] of headers) {
    it(`given ${header}, then its cursor is ${cursor}`, () => {
      assert.deepStrictEqual(nextCursor(header), Result.succeed(cursor))
    })
  }

  for (const header of malformed) {
    it(`given ${header}, then it is reported, since a page may follow`, () => {
      assert.deepStrictEqual(nextCursor(header), Result.fail(`the Link header ${header}`))
    })
  }

  it("given a next page without a cursor, then it is lost", () => {
    const lost = Result.fail("a link to the next page without a cursor")
    assert.deepStrictEqual(nextCursor('</v1/pets?limit=2>; rel="next"'), lost)
    assert.deepStrictEqual(nextCursor('</v1/pets>; rel="next"'), lost)
    assert.deepStrictEqual(nextCursor('</v1/pets#?cursor=MTIz>; rel="next"'), lost)
  })
})
