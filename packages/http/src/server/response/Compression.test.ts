import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Answer } from "../Answer.ts"
import { Exchange } from "../Exchange.ts"
import type { Incoming } from "../Incoming.ts"
import { Compression } from "./Compression.ts"

const acceptsGzip: Incoming = {
  method: "GET",
  target: "/v1/pets",
  request: new Request("http://localhost/v1/pets"),
  canEncode: true,
  header: (name) => (name === "accept-encoding" ? "gzip" : undefined),
  hasBody: () => false,
  receive: () => Effect.die("has no body"),
  discard: () => Effect.void,
  answer: () => {}
}

const longList = (): Answer => ({ status: 200, headers: [], body: JSON.stringify(Array(1_000).fill({ name: "Tom" })) })

describe("lists that are compressed at once", () => {
  it.effect("given twelve, then eight are compressed and four are sent as they are; and eight again afterwards", () =>
    Effect.gen(function* () {
      const compression = new Compression()
      const compress = Effect.suspend(() => compression.apply(longList(), new Exchange(acceptsGzip, "request")))
      const compressedOf = (length: number) =>
        Effect.map(
          Effect.all(
            Array.from({ length }, () => compress),
            { concurrency: "unbounded" }
          ),
          (answers) => answers.filter(({ headers }) => headers.includes("Content-Encoding")).length
        )

      assert.strictEqual(yield* compressedOf(12), 8)
      assert.strictEqual(yield* compressedOf(8), 8)
    })
  )
})
