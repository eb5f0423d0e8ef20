import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { tooLong } from "./limits.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

describe("given warm calls of a petstore", () => {
  it("when the files, calls, lines and bytes of each are counted, then none passes more than it may", async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        "--conditions=@petstore/source",
        "--disable-warning=ExperimentalWarning",
        "laboratory/run.ts",
        "path",
        "--check"
      ],
      { cwd: root }
    ).catch(({ stdout }: { readonly stdout: string }) => ({ stdout }))
    assert.notInclude(stdout, "Again: ", stdout)
    assert.include(stdout, "order, REST: ")
  }, 300_000)

  it("when a call passes one file more than it may, then that is found", () => {
    const counted = { files: 1_000, functions: 1, calls: 1, lines: 1, bytes: 1 }
    assert.match(tooLong("order, REST", counted).join(), /^order, REST passes 1000 files, and may pass \d+$/)
    assert.lengthOf(tooLong("another call", counted), 1)
  })
})
