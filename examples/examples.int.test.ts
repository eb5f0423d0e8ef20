import { execFile } from "node:child_process"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

const run = promisify(execFile)
const here = fileURLToPath(new URL(".", import.meta.url))

describe("the examples", async () => {
  const entries = await readdir(here, { withFileTypes: true })
  for (const { name } of entries.filter((entry) => entry.isDirectory() && entry.name !== "node_modules")) {
    it(`given the example ${name}, when it is run, then it prints what its output.txt says`, async () => {
      const folder = await mkdtemp(join(tmpdir(), "petstore-example-"))
      try {
        const program = join(here, name, "main.ts")
        const { stdout } = await run(process.execPath, ["--conditions=@petstore/source", program], { cwd: folder })
        assert.strictEqual(stdout, await readFile(join(here, name, "output.txt"), "utf8"))
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    })
  }
})
