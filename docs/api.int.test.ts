import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

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

  it("is up to date with the docstrings, and every public export has one", async ({ skip }) => {
    skip(missing !== undefined, missing)
    const check = run(process.execPath, [join(tool, "generate.ts"), "--check"])
    await check.catch(({ stderr }: { readonly stderr: string }) => assert.fail(stderr))
  })
})
