import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"

describe("the adapter as an example", () => {
  it("has fewer than 140 lines, and imports only what any package can", () => {
    const text = readFileSync(new URL("synchronousSql.ts", import.meta.url), "utf8")
    assert.isBelow(text.trimEnd().split("\n").length, 140)
    assert.deepStrictEqual(
      [...text.matchAll(/ from "(.+)"$/gm)].map(([, name]) => name),
      ["node:path", "@petstore/adapters/sql", "@petstore/core/adapter-toolkit", "@petstore/core/ports", "effect"]
    )
  })
})
