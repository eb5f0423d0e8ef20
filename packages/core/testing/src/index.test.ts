import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import * as testing from "./index.ts"

const here = fileURLToPath(new URL(".", import.meta.url))

const sources = readdirSync(here, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => readFileSync(join(here, name), "utf8"))

/** What is said above a declaration; for a whole module, above its imports. */
const docstringOf = (name: string): string => {
  if (name === "arbitraries") return readFileSync(join(here, "arbitraries.ts"), "utf8").split("*/")[0] ?? ""
  const declaration = new RegExp(`\\/\\*\\*((?:(?!\\*\\/).)*)\\*\\/\\nexport (?:const|class) ${name}\\b`, "s")
  return sources.map((text) => declaration.exec(text)?.[1]).find((found) => found !== undefined) ?? ""
}

describe("the testing kits", () => {
  for (const name of Object.keys(testing)) {
    it(`have an example of ${name}`, () => {
      assert.include(docstringOf(name), "@example")
    })
  }
})
