import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "vitest"
import { installed } from "./support/installed.ts"
import { type Loaded, loadedBy, loadedByCli } from "./support/loaded.ts"
import { entries } from "./support/workspace.ts"

const { project } = await installed()

/**
 * The bytes that an entry may load, against those of `import "effect"`, which an application on Effect loads anyway:
 * deterministic, where times are not.
 */
const budgets: Readonly<Record<string, number>> = {
  "@petstore/core": 0.84,
  "@petstore/core/domain": 0.65,
  "@petstore/core/ports": 0.75,
  "@petstore/core/verify-webhook": 0.02,
  "@petstore/adapters/pglite": 0.75,
  "@petstore/adapters/postgres": 0.8,
  "@petstore/adapters/sqlite": 0.75,
  // With the core, which an application that mounts the REST API has loaded anyway.
  "@petstore/http": 1.05
}

/** Other entries may load at most as much as Effect itself. */
const otherwise = 1

/** What the CLI may load to read its arguments. It loads the module of a subcommand when it runs. */
const cliBudget = 1.1

describe("given an entry of a package that is imported by Node.js", () => {
  let effect: Loaded = { urls: [], files: 0, bytes: 0 }

  beforeAll(async () => {
    effect = await loadedBy(project, "effect")
  })

  for (const entry of entries) {
    it(`then ${entry} stays in its budget`, async () => {
      const { bytes, files } = await loadedBy(project, entry)
      assert.isAbove(files, 0)
      assert.isBelow(bytes / effect.bytes, budgets[entry] ?? otherwise)
    })
  }

  for (const entry of entries.filter((name) => /^@petstore\/(?:core\b|testing\b|adapters\/pglite$)/.test(name))) {
    it(`then ${entry} loads nothing of Node.js, of the REST API or of a driver`, async () => {
      const { urls } = await loadedBy(project, entry)
      const expected = /\/node_modules\/(?:@petstore\/(?:core|testing|adapters)|effect|@noble\/hashes)\//
      assert.deepStrictEqual(
        urls.filter((url) => !expected.test(url)),
        []
      )
    })
  }

  it("then the core is few files, and none of them has the rules of verify", async () => {
    const { urls } = await loadedBy(project, "@petstore/core", "@petstore/core/runtime", "@petstore/adapters/sqlite")
    const core = urls.filter((url) => url.includes("/@petstore/core/")).map((url) => fileURLToPath(url))
    assert.isNotEmpty(core)
    assert.isAtMost(core.length, 12)
    const rule = '"reserved_for_open_orders"'
    for (const file of core) assert.notInclude(readFileSync(file, "utf8"), rule, file)
    const checks = join(project, "node_modules/@petstore/core/dist/chunks/checks.js")
    assert.include(readFileSync(checks, "utf8"), rule)
  })

  it("then the entry for receivers of webhooks loads nothing but its own modules", async () => {
    const { urls } = await loadedBy(project, "@petstore/core/verify-webhook")
    assert.isNotEmpty(urls)
    assert.deepStrictEqual(
      urls.filter((url) => !url.includes("/node_modules/@petstore/core/dist/verify-webhook/")),
      []
    )
  })

  it("then the entry of PostgreSQL loads neither its driver nor another database", async () => {
    const { urls } = await loadedBy(project, "@petstore/adapters/postgres")
    assert.isTrue(urls.some((url) => url.includes("/postgres/")))
    assert.isFalse(urls.some((url) => /\/node_modules\/pg\b/.test(url) || url === "node:sqlite"))
  })

  it("then the CLI loads its own bundle, and of that nothing of a server, a client or a store", async () => {
    const { bytes, urls } = await loadedByCli(project, "--version")
    const files = urls.filter((url) => url.startsWith("file:"))
    assert.isTrue(files.some((url) => url.endsWith("/@petstore/http/dist/bundle/main.js")))
    assert.deepStrictEqual(
      files.filter((url) => !/\/@petstore\/http\/(?:bin\/(?:petstore|bundle)|dist\/bundle\/[\w-]+)\.js$/.test(url)),
      []
    )
    assert.isBelow(bytes / effect.bytes, cliBudget)
    const code = files.map((url) => readFileSync(fileURLToPath(url), "utf8")).join("\n")
    const modules = [...code.matchAll(/^ *\/\/ (packages\/\w+\/(?:dist|src)\/\S+\.[jt]s)$/gm)].map(
      ([, path = ""]) => path
    )
    assert.include(modules, "packages/http/dist/cli/main.js")
    assert.deepStrictEqual(
      modules.filter(
        (path) =>
          !/^packages\/(?:core\/|http\/dist\/(?:cli\/|webhooks\/AddressRanges\.js$|server\/(?:options|response\/isOrigin)\.js$))/.test(
            path
          )
      ),
      []
    )
    assert.notInclude(urls, "node:sqlite")
  })

  it("then only the entries of the server and of SQLite load a server and a store in a file", async () => {
    const both = await loadedBy(project, "@petstore/core", "@petstore/adapters/sqlite")
    assert.isTrue(both.urls.some((url) => url.includes("/@petstore/adapters/")))
    assert.isFalse(both.urls.some((url) => url.includes("/@petstore/http/") || url === "node:sqlite"))
  })
})
