import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpRequest } from "../HttpRequest.ts"
import type { HttpResponse } from "../HttpResponse.ts"
import { WorkShares } from "../limits/WorkShares.ts"
import { RequestContext } from "../RequestContext.ts"
import { Compression, preferredCoding } from "./compression.ts"

const acceptsGzip: HttpRequest = {
  method: "GET",
  target: "/v1/pets",
  original: new Request("http://localhost/v1/pets"),
  address: undefined,
  scheme: "http",
  canEncode: true,
  header: (name) => (name === "accept-encoding" ? "gzip" : undefined),
  hasBody: false,
  receive: () => {
    throw new Error("has no body")
  },
  discard: () => Effect.void,
  onDisconnect: () => {},
  closeConnection: () => {},
  respond: () => {},
  abort: () => {}
}

const longList = (): HttpResponse => ({
  status: 200,
  headers: [],
  body: JSON.stringify(Array(1_000).fill({ name: "Tom" }))
})

describe("concurrent compressions", () => {
  it.effect("given twelve lists, then eight are compressed and four are not, and later eight again", () =>
    Effect.gen(function* () {
      const compression = new Compression()
      const compress = Effect.suspend(() =>
        compression.apply(longList(), new RequestContext(acceptsGzip, "request", Context.empty(), new WorkShares()))
      )
      const compressedOf = (length: number) =>
        Effect.map(
          Effect.all(
            Array.from({ length }, () => compress),
            { concurrency: "unbounded" }
          ),
          (responses) => responses.filter(({ headers }) => headers.includes("Content-Encoding")).length
        )

      assert.strictEqual(yield* compressedOf(12), 8)
      assert.strictEqual(yield* compressedOf(8), 8)
    })
  )
})

describe("the preferred coding of a client", () => {
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
