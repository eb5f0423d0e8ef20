import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { root } from "../../packages/test/support/workspace.ts"
import { tooLong } from "./limits.ts"
import { tooSlow } from "./ratios.ts"

describe("given warm calls of a petstore", () => {
  it("when the files, calls, lines, bytes and processor time of each are counted, then none takes more than it may", async () => {
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
    assert.match(stdout, /order with a key, of an order: [\d.]+ times the processor time/)
  }, 300_000)

  it("when a call passes one file more than it may, then that is found", () => {
    const counted = { files: 1_000, functions: 1, calls: 1, lines: 1, bytes: 1 }
    assert.match(tooLong("order, REST", counted).join(), /^order, REST passes 1000 files, and may pass \d+$/)
    assert.lengthOf(tooLong("another call", counted), 1)
  })

  it("when a call takes more processor time than it may, of another that does the same, then that is found", () => {
    const compared = { name: "a transaction, of its calls", most: 1.5 }
    assert.deepStrictEqual(tooSlow(compared, 1.5), [])
    assert.deepStrictEqual(tooSlow(compared, 1.513), [
      "a transaction, of its calls takes 1.51 times the processor time, and may take 1.5"
    ])
  })
})
