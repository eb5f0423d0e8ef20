import { assert, describe, it } from "@effect/vitest"
import { entityTags, versionOf } from "../../api/EntityTag.ts"
import { openApiDocument } from "../../openapi/openApiDocument.ts"
import { matchesWeakly, parseEntityTags, qualityValues } from "./headerValues.ts"

const { schema } = openApiDocument().components.parameters.VersionIfMatch ?? assert.fail("it is not published")
const published = new RegExp("pattern" in schema ? (schema.pattern ?? "") : "")

describe("the entity tags of a conditional header", () => {
  it("given a header in the form of RFC 9110, then its tags are read", () => {
    assert.deepStrictEqual(parseEntityTags('"v1"'), ['"v1"'])
    assert.deepStrictEqual(parseEntityTags(' "a" , W/"b","c,d" '), ['"a"', 'W/"b"', '"c,d"'])
    assert.deepStrictEqual(parseEntityTags(',"a",,"b",'), ['"a"', '"b"'])
    assert.deepStrictEqual(parseEntityTags('""'), ['""'])
    assert.strictEqual(parseEntityTags(" * "), "any")
  })

  it("given empty elements, then the published pattern allows them too (RFC 9110, section 5.6.1)", () => {
    for (const header of ['"v1",', ',"v1"', ', ,\t"v1" , , "v2" ,', '"v1",,W/"v2"', '""', "*"]) {
      assert.isDefined(parseEntityTags(header), header)
      assert.match(header, published)
    }
  })

  it("given tags without quotes, tags beside *, or an empty header, then it is malformed", () => {
    for (const header of [
      "",
      " ",
      ",",
      "v1",
      '"v1',
      'v1"',
      'w/"v1"',
      'W/ "v1"',
      '"a" "b"',
      '*, "a"',
      '"a", *',
      '"a\u0000"'
    ]) {
      assert.isUndefined(parseEntityTags(header), JSON.stringify(header))
      assert.notMatch(header, published)
    }
  })

  it("given weak comparison, then weak and strong tags match", () => {
    assert.isTrue(matchesWeakly("any", '"a"'))
    assert.isTrue(matchesWeakly(['"b"', 'W/"a"'], '"a"'))
    assert.isTrue(matchesWeakly(['"a"'], '"a"'))
    assert.isFalse(matchesWeakly(['"b"'], '"a"'))
  })
})

describe("the entity tag of a response", () => {
  const both = { version: 3, inventory: { version: 5 } }

  it("given a resource, then the tag contains its versions", () => {
    assert.strictEqual(entityTags.version(both), '"v3"')
    assert.strictEqual(entityTags.pet(both), '"p3"')
    assert.strictEqual(entityTags.stock(both), '"s3"')
    assert.strictEqual(entityTags["pet+stock"](both), '"p3-s5"')
  })

  it("given the tag of a pet with its stock, then it is valid for either, and no other tag is valid for another kind", () => {
    assert.strictEqual(versionOf("pet", '"p3-s5"'), 3)
    assert.strictEqual(versionOf("stock", '"p3-s5"'), 5)
    assert.strictEqual(versionOf("pet", '"p3"'), 3)
    assert.strictEqual(versionOf("stock", '"s5"'), 5)
    assert.strictEqual(versionOf("version", '"v3"'), 3)
    for (const tag of [
      '"s5"',
      '"v3"',
      'W/"p3"',
      '"p03"',
      '"p3-"',
      '"p-1"',
      '"p3-s5-s6"',
      "p3",
      '""',
      '"p9999999999999999"'
    ]) {
      assert.isUndefined(versionOf("pet", tag), tag)
    }
  })
})

describe("the weights in a header", () => {
  const cases: { readonly [header: string]: Readonly<Record<string, number>> } = {
    "": {},
    gzip: { gzip: 1 },
    "gzip, br": { gzip: 1, br: 1 },
    "GZip;q=0.5,br;Q=1.000": { gzip: 0.5, br: 1 },
    " gzip ; q = 0.25 ,\tbr": { gzip: 0.25, br: 1 },
    "gzip;q=0, *;q=0.001": { gzip: 0, "*": 0.001 },
    "text/html;level=1;q=0.4, */*": { "text/html": 0.4, "*/*": 1 },
    "gzip;q=1.": { gzip: 1 },
    // Malformed, and passed over.
    "gzip;q=2, br;q=-1, a;q=0.1234, b;q=, c;q=1.5, d": { d: 1 },
    ", ,;q=1, gzip": { gzip: 1 },
    'text/html;a="x, gzip;q=1, \\",br", */*': { "text/html": 1, "*/*": 1 },
    'text/html;a="q=0.5"': { "text/html": 1 },
    'text/html;a="x, gzip': { "text/html": 1 }
  }
  for (const [header, expected] of Object.entries(cases)) {
    it(`given ${JSON.stringify(header)}, then they are ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(Object.fromEntries(qualityValues(header)), expected)
    })
  }

  it("given a very long header, then it is read in milliseconds", () => {
    for (const piece of [",", ";", " ", "\t;q", "q=1;", "a;q=0.5,", '"', '\\"', '"\\']) {
      const times = Array.from({ length: 3 }, () => {
        const started = performance.now()
        qualityValues(`gzip;${piece.repeat(16_384)}`)
        return performance.now() - started
      })
      // The shortest, since the system may stop a thread for longer than a call takes.
      assert.isBelow(Math.min(...times), 500, JSON.stringify(piece))
    }
  })
})
