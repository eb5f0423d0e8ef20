import { execFile } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cases } from "../test/runners/forgetfulStore.ts"
import { formatReport, runContract } from "./runContract.ts"

const folder = fileURLToPath(new URL("../test/runners", import.meta.url))
const vitest = fileURLToPath(new URL("../../../../node_modules/vitest/vitest.mjs", import.meta.url))

const commands: Readonly<Record<string, ReadonlyArray<string>>> = {
  vitest: [vitest, "run", "--root", folder, "--reporter=tap-flat"],
  "node:test": [
    "--conditions=@petstore/source",
    "--test",
    "--test-reporter=tap",
    join(folder, "forgetfulStore.node.ts")
  ]
}

/** The environment without the variables that test runners pass to child processes. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_TEST|TEST$|NODE_ENV|FORCE_COLOR)/.test(name))
)

/** Runs a command to its end, which may be a failure. */
const run = (args: ReadonlyArray<string>): Promise<{ readonly failed: boolean; readonly output: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [...args], { cwd: folder, env, timeout: 240_000 }, (error, output) =>
      resolve({ failed: error !== null, output })
    )
  })

/** The result of each case in a TAP report, by its name. */
const resultsIn = (output: string) => {
  const groups = new Set(cases.map(({ group }) => group))
  const results = new Map<string, string>()
  for (const [, result, line = ""] of output.matchAll(/^ *(ok|not ok) \d+ - (.*)$/gm)) {
    const [path = "", mark] = line.split(/ # (SKIP)?/)
    const name = path.split(" > ").at(-1) ?? ""
    if (!groups.has(name)) results.set(name, mark === undefined ? String(result) : "skipped")
  }
  return Object.fromEntries(results)
}

const broken = "names of pets begin with a text as it is, in its case and in any script, and are sorted by code points"
const reason = "the fixture has no way to make the store fail"

const expected = Object.fromEntries(
  cases.map(({ name, skip }) =>
    skip === undefined ? [name, name === broken ? "not ok" : "ok"] : [`${name} (skipped: ${reason})`, "skipped"]
  )
)

describe("given a store that breaks one promise, and no way to make it fail", () => {
  it("then there are promises that it keeps, one that it breaks, and some that cannot be asked", () => {
    assert.deepStrictEqual([...new Set(Object.values(expected))].sort(), ["not ok", "ok", "skipped"])
  })

  for (const [runner, args] of Object.entries(commands)) {
    it(`when ${runner} runs the contract, then it passes, fails and skips with the reason, and shows the difference`, async () => {
      const { failed, output } = await run(args)
      assert.deepStrictEqual(resultsIn(output), expected, output)
      assert.isTrue(failed)
      assert.include(output, "ContractViolation")
      assert.include(output, "Rexine")
    })
  }

  it.effect("when it runs as one effect, then the report says the same", () =>
    Effect.gen(function* () {
      const report = yield* runContract(cases)
      const results = [
        ...report.passed.map(({ name }) => [name, "ok"]),
        ...report.failed.map(({ name }) => [name, "not ok"]),
        ...report.skipped.map(({ name, reason: why }) => [`${name} (skipped: ${why})`, "skipped"])
      ]
      assert.deepStrictEqual(Object.fromEntries(results), expected)
      assert.include(formatReport(report), "Rexine")
    })
  )
})
