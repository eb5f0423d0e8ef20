import { mkdtempSync, rmSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll } from "vitest"
import { memoryFolder } from "../../packages/adapters/test/support/memoryFolder.ts"
import { commandOf } from "../../packages/adapters/test/support/program.ts"
import { compileLibrary, libraryProblem } from "../preloadedLibraries.ts"
import { allFaults, callsOf, type FaultRunOptions, faultsOfFirst, runFaults } from "./calls/faultRuns.ts"
import { findingsOf } from "./calls/findings.ts"
import type { Fault } from "./calls/Scenario.ts"
import { ScenarioProcess } from "./calls/ScenarioProcess.ts"
import { isRejected } from "./faultOutcomes.ts"

/** One of so many faults of first calls is tried here; `npm run lab -- faults` tries all. */
const every = 17

const problem = libraryProblem()

describe.runIf(problem === undefined)(
  `given a store whose system calls and statements fail${problem === undefined ? "" : ` (skipped: ${problem})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "petstore-faults-"))
    const library = join(folder, "failingCalls.so")
    let options: FaultRunOptions

    beforeAll(async () => {
      compileLibrary("failingCalls", library)
      options = { command: await Effect.runPromise(commandOf("meet-faults")), library, parent: memoryFolder() }
    })
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    it("then nothing acknowledged is lost, all errors have their codes, and it heals", async () => {
      const summary = await callsOf(options)
      const failsOnce = (error: Fault["error"], calls: RegExp) => (fault: Fault) =>
        fault.of === "call" &&
        fault.error === error &&
        !fault.persists &&
        calls.test(summary.calls?.[fault.at - 1]?.name ?? "")
      const opens = failsOnce("EMFILE", /^(chmod|open|stat) /)
      const faults = [
        ...faultsOfFirst(summary).filter((fault, index) => index % every === 0 || opens(fault)),
        // The folder of the queue for the lock, which cannot be made.
        ...faultsOfFirst(summary).filter(
          ({ at, error, of, persists }) =>
            of === "call" && persists && error === "ENOENT" && /^mkdir /.test(summary.calls?.[at - 1]?.name ?? "")
        ),
        // Each connection, which opens the log for reading if it cannot open it for writing.
        ...allFaults(summary).filter(failsOnce("EIO", /^open petstore\.db-wal$/))
      ]
      const found: Array<unknown> = []
      let rejections = 0
      await runFaults(faults.values(), options, (outcome) => {
        const { failed, fault, findings } = outcome
        if (findings.length > 0) found.push({ fault, failed, findings })
        if (isRejected(outcome)) rejections++
      })
      assert.deepStrictEqual(found, [])
      assert.isAbove(rejections, faults.length / 4)
    })

    it("then lost orders, untold ones and damaged files are found", async () => {
      const scenarios = new ScenarioProcess(options.command, library, memoryFolder())
      try {
        const run = await scenarios.run()
        const fault = { of: "call", at: 9999, error: "EIO", persists: false } as const
        const findings = (lines: ReadonlyArray<string>) => findingsOf(fault, { ...run, lines })
        assert.deepStrictEqual(await findings(run.lines), [])
        assert.deepStrictEqual(await findings([...run.lines, "acknowledged 99"]), ["lost: order 99"])
        const rejected = run.lines.map((line) => line.replace(/^acknowledged 3$/, "rejected order:3 storage_busy"))
        assert.deepStrictEqual(await findings(rejected), ["order 3 was rejected, and is there"])
        truncateSync(join(run.folder, "petstore.db"), 40_960)
        assert.match(String(await findings(run.lines)), /^damaged: /)
      } finally {
        await scenarios.close()
      }
    })
  }
)
