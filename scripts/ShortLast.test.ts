import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { longFiles } from "./longFiles.ts"
import { byLength, type Placed } from "./ShortLast.ts"

const root = join(import.meta.dirname, "..")

const placed = (file: string, name: string): Placed => ({ moduleId: join(root, file), project: { name } })

describe("given files in the order of their sizes", () => {
  it("then projects take turns, and in each the long files begin first, longest first", () => {
    const [longest = "", second = ""] = longFiles
    const sorted = [
      placed("a.test.ts", "unit"),
      placed("b.int.test.ts", "packages"),
      placed(second, "packages"),
      placed("a.int.test.ts", "packages"),
      placed(longest, "packages"),
      placed("a.contract.test.ts", "contract")
    ].sort(byLength)
    assert.deepStrictEqual(
      sorted.map(({ moduleId }) => moduleId),
      [longest, second, "b.int.test.ts", "a.int.test.ts", "a.contract.test.ts", "a.test.ts"].map((file) =>
        join(root, file)
      )
    )
  })
})

describe("given the list of long files", () => {
  it("then it names files that are there, each once", () => {
    assert.deepStrictEqual(
      longFiles.filter((file) => !existsSync(join(root, file))),
      []
    )
    assert.strictEqual(new Set(longFiles).size, longFiles.length)
  })
})
