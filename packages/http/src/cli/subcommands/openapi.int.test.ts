import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "@petstore/http/openapi"
import * as Effect from "effect/Effect"
import { parse } from "yaml"
import { runPetstore } from "../../../test/support/runPetstore.ts"

const json: (text: string) => unknown = JSON.parse
const yaml: (text: string) => unknown = parse

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("petstore openapi", () => {
  for (const [args, read, basePath] of [
    [[], json, "/v1"],
    [["--format", "json"], json, "/v1"],
    [["--format", "yaml"], yaml, "/v1"],
    [["--base-path", "/shop/v2"], json, "/shop/v2"],
    [["--base-path", "/", "--format", "yaml"], yaml, ""]
  ] as const) {
    it.effect(`given ${args.join(" ") || "no flags"}, then the document is printed for that`, () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* runPetstore(["openapi", ...args])
        assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: [] })
        assert.deepStrictEqual(read(stdout.join("\n")), plain(openApiDocument({ basePath })))
      })
    )
  }

  it.effect("given an unknown format, then the exit code is 2", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* runPetstore(["openapi", "--format", "xml"])
      assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: [] })
    })
  )
})
