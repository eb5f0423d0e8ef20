import { assert, describe, it } from "vitest"
import { qualityValues } from "./qualityValues.ts"

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
    ", ,;q=1, gzip": { gzip: 1 }
  }
  for (const [header, expected] of Object.entries(cases)) {
    it(`given ${JSON.stringify(header)}, then they are ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(Object.fromEntries(qualityValues(header)), expected)
    })
  }

  it("given a very long header, then it is read in milliseconds", () => {
    for (const piece of [",", ";", " ", "\t;q", "q=1;", "a;q=0.5,"]) {
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
