import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundledPath, bundlePrograms } from "../../packages/adapters/test/support/bundlePrograms.ts"
import { memoryFolder } from "../../packages/adapters/test/support/memoryFolder.ts"
import { UsageError } from "../arguments.ts"
import { compileLibrary, libraryProblem } from "../preloadedLibraries.ts"
import { allFaults, callsOf, type FaultRunOptions, faultsOfFirst, runFaults } from "./calls/faultRuns.ts"
import type { Fault } from "./calls/Scenario.ts"
import type { FaultSuite } from "./FaultSuite.ts"

/** Makes each system call and each statement of a SQLite store fail; with `first`, the first of each kind. */
export const failCalls = async (first: boolean, use: (suite: FaultSuite<Fault>) => Promise<void>): Promise<void> => {
  const problem = libraryProblem()
  if (problem !== undefined) throw new UsageError(`Cannot make calls fail: ${problem}.`)
  const program = fileURLToPath(new URL("../../packages/adapters/test/programs/meet-faults.ts", import.meta.url))
  const bundle = await bundlePrograms([program])
  const folder = mkdtempSync(join(tmpdir(), "petstore-faults-"))
  try {
    const library = join(folder, "failingCalls.so")
    compileLibrary("failingCalls", library)
    const options: FaultRunOptions = {
      command: [process.execPath, "--disable-warning=ExperimentalWarning", bundledPath(bundle, program)],
      library,
      parent: memoryFolder()
    }
    const summary = await callsOf(options)
    await use({
      title: `${summary.calls?.length} system calls, ${summary.statements?.length} statements`,
      faults: (first ? faultsOfFirst : allFaults)(summary),
      run: (faults, onOutcome) => runFaults(faults, options, onOutcome),
      rowOf: ({ failed, fault }) =>
        `${fault.of} ${fault.of === "call" ? failed?.split(" ")[0] : failed?.match(/^(prepare )?\w+/)?.[0]}`
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
    rmSync(bundle, { recursive: true, force: true })
  }
}
