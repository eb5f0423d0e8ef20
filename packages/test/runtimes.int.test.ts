import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { run } from "./support/command.ts"
import { installed } from "./support/installed.ts"
import { noRuntime, pathOf, type Runtime } from "./support/runtimes.ts"

const { project } = await installed()

const expected = { complete: true, refused: "insufficient_stock", ok: true }

const programOf: Readonly<Record<Runtime, ReadonlyArray<string>>> = {
  "Node.js 22": ["--disable-warning=ExperimentalWarning"],
  "Node.js 26": [],
  Deno: ["run", "--allow-all", "--no-lock", "--node-modules-dir=manual"],
  Bun: ["run"]
}

for (const [runtime, args] of Object.entries(programOf) as ReadonlyArray<[Runtime, ReadonlyArray<string>]>) {
  const path = pathOf(runtime) ?? ""
  const skipped = path === "" ? ` (skipped: ${noRuntime(runtime)})` : ""
  const ran = async (...program: ReadonlyArray<string>): Promise<unknown> =>
    JSON.parse(await run(path, [...args, ...program], { cwd: project }))

  describe.skipIf(path === "")(`given ${runtime}${skipped}`, () => {
    it("then the store in memory works", async () => {
      assert.deepStrictEqual(await ran("memory.ts"), expected)
    })

    it("then the store in a file works, on the SQLite of that runtime", async () => {
      assert.deepStrictEqual(await ran("sqlite.ts", join(project, `${runtime}.db`)), { ...expected, kept: 1 })
    })

    it("then a webhook is verified, and one that was changed is refused", async () => {
      assert.deepStrictEqual(await ran("webhook.ts"), { verified: "pet.deleted", refused: "signature_mismatch" })
    })

    it("then a CommonJS program that requires the packages works", async () => {
      const result = await ran("required.cjs", join(project, `${runtime} required.db`))
      assert.deepStrictEqual(result, { name: "Cats", rejected: "unknown_category" })
    })

    // The CLI is for Node.js.
    if (!runtime.startsWith("Node.js")) return

    it("then the CLI makes a store, and verifies it", async () => {
      const bin = join(project, "node_modules/@petstore/http/bin/petstore.js")
      const store = ["--storage", `sqlite:${join(project, `${runtime} CLI.db`)}`]
      await run(path, [bin, "migrate", "--create", ...store], { cwd: project })
      const verified = JSON.parse(await run(path, [bin, "verify", "--json", ...store], { cwd: project }))
      assert.strictEqual(verified.ok, true)
    })
  })
}
