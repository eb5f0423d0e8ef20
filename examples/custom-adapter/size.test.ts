import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"

const here = new URL(".", import.meta.url)
const files = readdirSync(here).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && name !== "main.ts"
)
const lines = files.flatMap((name) => readFileSync(new URL(name, here), "utf8").trimEnd().split("\n"))
const packages = [
  "@petstore/core/adapter-toolkit",
  "@petstore/core/domain",
  "@petstore/core/kernel",
  "@petstore/core/ports",
  "effect",
  "lmdb",
  "node:os",
  "node:path"
]

describe("the adapter as an example", () => {
  it("has fewer than 300 lines, none of them long", () => {
    assert.includeMembers(files, ["lmdb.ts", "LmdbTable.ts"])
    assert.isBelow(lines.length, 300)
    assert.isAtMost(Math.max(...lines.map(({ length }) => length)), 120)
  })

  it("imports only what any package can", () => {
    const from = lines.flatMap((line) => / from "([^."][^"]*)"$/.exec(line)?.[1] ?? [])
    assert.sameMembers([...new Set(from)], packages)
  })
})
