import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { installTools } from "../scripts/tools.ts"
import { entries } from "../tools/api-reference/entries.ts"

const run = promisify(execFile)
const tool = fileURLToPath(new URL("../tools/api-reference/generate.ts", import.meta.url))

// Installs the compiler API, a package, if it is missing.
const missing = await installTools("tools/api-reference", () => {}).catch(String)

describe.skipIf(missing !== undefined)(
  `the API reference${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    const target = mkdtempSync(join(tmpdir(), "petstore-api-"))
    let problems = ""
    let pages: ReadonlyArray<readonly [name: string, text: string]> = []

    beforeAll(async () => {
      await run(process.execPath, ["--conditions=@petstore/source", tool, target]).catch(({ stderr }) => {
        problems = stderr
      })
      const folder = join(target, "api")
      pages = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")])
    })
    afterAll(() => rmSync(target, { recursive: true, force: true }))

    it("describes every public export", () => {
      assert.strictEqual(problems, "")
    })

    it("has the signatures that docs/signatures.txt shows", () => {
      const [kept, made] = [new URL("signatures.txt", import.meta.url), join(target, "signatures.txt")].map((file) =>
        readFileSync(file, "utf8")
      )
      assert.strictEqual(made, kept, "The public API changed. If that is intended: npm run docs:api")
    })

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
  }
)
