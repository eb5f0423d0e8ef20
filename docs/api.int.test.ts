import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { entries } from "../tools/api-reference/entries.ts"

const run = promisify(execFile)
const tool = fileURLToPath(new URL("../tools/api-reference", import.meta.url))
const missing = existsSync(join(tool, "../node_modules/typescript"))
  ? undefined
  : "TypeScript with its compiler API is not installed: npm ci --prefix tools"

const folder = fileURLToPath(new URL("api", import.meta.url))
const pages = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")] as const)

describe("the API reference", () => {
  it("shows the fields and values of types that come from schemas, not the schemas", () => {
    const hiding = pages.filter(([, text]) => /Schema\.Schema\.Type<|^type .*= typeof /m.test(text))
    assert.deepStrictEqual(hiding, [])
    const [, domain = ""] = pages.find(([name]) => name === "core-domain.md") ?? []
    assert.include(domain, "interface Pet {\n  readonly id: number\n  readonly name: string\n")
    assert.include(domain, "  readonly status?: PetStatus\n")
    assert.include(domain, "  /** Units reserved for open orders. */\n  readonly reserved?: number\n")
  })

  for (const { name, page } of entries) {
    it(`lists of ${name} no value that is not there at run time`, async () => {
      const [, text = ""] = pages.find(([file]) => file === page) ?? []
      const headings = text
        .split(/^## /m)
        .filter((section) => /^(?:Functions and values|Classes and services)\n/.test(section))
        .flatMap((section) => [...section.matchAll(/^### (\w+)$/gm)].map(([, value]) => value))
      const errors = [...text.matchAll(/^\| `(\w+)` \| `\w+` \| \d{3} \|/gm)].map(([, value]) => value)
      const namespaces = [...text.matchAll(/^## ([a-z]\w*)$/gm)].map(([, value]) => value)
      const references = [...text.matchAll(/^Values, described at .*$/gm)].flatMap(([line]) =>
        [...line.matchAll(/`(\w+)`/g)].map(([, value]) => value)
      )
      const schemas = [...text.matchAll(/^\/\/ The schema of the same name gives the type\.\n\w+ (\w+)/gm)].map(
        ([, value]) => value
      )
      const listed = [...headings, ...errors, ...namespaces, ...references, ...schemas]
      const exported = Object.keys(await import(name))
      assert.deepStrictEqual(
        listed.filter((value) => !exported.includes(value ?? "")),
        []
      )
      assert.strictEqual(listed.length > 0, exported.length > 0)
    })
  }

  it("is up to date with the docstrings, and every public export has one", async ({ skip }) => {
    skip(missing !== undefined, missing)
    const check = run(process.execPath, ["--conditions=@petstore/source", join(tool, "generate.ts"), "--check"])
    await check.catch(({ stderr }: { readonly stderr: string }) => assert.fail(stderr))
  })
})
