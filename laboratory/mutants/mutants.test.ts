import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "vite"
import { assert, describe, it } from "vitest"
import { root } from "../../packages/test/support/workspace.ts"
import { guardMutants } from "./guardMutants.ts"

describe("given the list of guards", () => {
  it("then each is in its source once, and the source parses without it", async () => {
    const batches = await guardMutants(root)
    for (const { mutants } of batches) {
      for (const { fault, file, text } of mutants) assert.deepStrictEqual(parseSync(file, text).errors, [], fault)
    }
  })
})

describe("given the tests of a subject", () => {
  it("then each file exists, and each name by which tests run or do not run is in one of them", async () => {
    for (const { suite } of await guardMutants(root)) {
      const texts: Array<string> = []
      // The names of a contract are in its cases.
      for (const pattern of [...suite.tests, "packages/core/testing/src/petstore/*Cases.ts"]) {
        const files = globSync(pattern, { cwd: root })
        assert.isAtLeast(files.length, pattern.split(",").length, pattern)
        for (const file of files) texts.push(readFileSync(join(root, file), "utf8"))
      }
      const names = suite.names?.replace(/^\^\(\?!(?:\.\*)?(.*)\)$/, "$1").split("|") ?? []
      assert.deepStrictEqual(
        names.filter((name) => !texts.some((text) => text.includes(name))),
        []
      )
    }
  })
})
