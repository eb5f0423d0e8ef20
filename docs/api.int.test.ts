import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

const run = promisify(execFile)
const tool = fileURLToPath(new URL("../tools/api-reference", import.meta.url))
const missing = existsSync(join(tool, "node_modules", "typescript"))
  ? undefined
  : "TypeScript with its compiler API is not installed: npm ci --prefix tools/api-reference"

describe("the API reference", () => {
  it("given the docstrings of all public exports, then each export has one, and docs/api says what they say", async ({
    skip
  }) => {
    skip(missing !== undefined, missing)
    const check = run(process.execPath, [join(tool, "generate.ts"), "--check"])
    await check.catch(({ stderr }: { readonly stderr: string }) => assert.fail(stderr))
  })
})
