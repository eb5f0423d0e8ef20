import { execFile } from "node:child_process"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

const run = promisify(execFile)
const here = fileURLToPath(new URL(".", import.meta.url))

/** The environment without what test runners pass to the processes that they start. */
const { NODE_TEST_CONTEXT: _, ...env } = process.env

describe("the examples for node:test", async () => {
  const files = await readdir(here, { recursive: true, encoding: "utf8" })
  const tests = files.filter((name) => name.endsWith("node-test.ts") && !name.includes("node_modules"))

  it("are found", () => assert.isNotEmpty(tests))

  for (const name of tests) {
    it(`given ${name}, when node:test runs it, then its tests pass, and none is skipped`, async () => {
      const args = ["--conditions=@petstore/source", "--test", "--test-reporter=tap", join(here, name)]
      const { stdout } = await run(process.execPath, args, { env, timeout: 60_000 }).catch(
        (failure: { readonly stdout: string }) => assert.fail(failure.stdout)
      )
      assert.match(stdout, /^# pass [1-9]\d*$/m)
      assert.match(stdout, /^# skipped 0$/m)
    })
  }
})
