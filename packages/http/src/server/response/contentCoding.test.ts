import { assert, describe, it } from "vitest"
import { preferredCoding } from "./contentCoding.ts"

describe("the coding for a client", () => {
  const cases: ReadonlyArray<readonly [header: string | undefined, coding: string | undefined]> = [
    [undefined, undefined],
    ["", undefined],
    ["gzip", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1, br;q=0.9", "gzip"],
    ["br;q=0.5, gzip;q=0.5", "br"],
    ["*", "br"],
    ["*;q=0.1, br;q=0", "gzip"],
    ["br;q=0, *;q=0", undefined],
    ["gzip;q=0", undefined],
    ["deflate, zstd", undefined],
    ["x-gzip", "gzip"],
    ["GZIP", "gzip"],
    ["identity", undefined],
    ["identity, gzip", "gzip"],
    ["identity;q=1, gzip;q=0.5", undefined],
    ["identity;q=0.5, gzip;q=1, br;q=0.2", "gzip"],
    ["identity;q=0", undefined],
    ["gzip;q=nonsense", undefined]
  ]
  for (const [header, coding] of cases) {
    it(`given ${JSON.stringify(header)}, then it is ${coding ?? "none"}`, () => {
      assert.strictEqual(preferredCoding(header), coding)
    })
  }
})
