import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "@petstore/http/openapi"
import { Effect } from "effect"
import { parse } from "yaml"
import { runPetstore } from "../../test/support/runPetstore.ts"

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("petstore openapi", () => {
  for (const [args, read, basePath] of [
    [[], JSON.parse, "/v1"],
    [["--format", "json"], JSON.parse, "/v1"],
    [["--format", "yaml"], parse, "/v1"],
    [["--base-path", "/shop/v2"], JSON.parse, "/shop/v2"],
    [["--base-path", "/", "--format", "yaml"], parse, ""]
  ] as const) {
    it.effect(`given ${args.join(" ") || "no flags"}, then the document is printed for that`, () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* runPetstore(["openapi", ...args])
        assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: [] })
        assert.deepStrictEqual(read(stdout.join("\n")), plain(openApiDocument({ basePath })))
      })
    )
  }

  it.effect("given a format that there is not, then the call is wrong", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* runPetstore(["openapi", "--format", "xml"])
      assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: [] })
    })
  )
})
