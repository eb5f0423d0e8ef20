// Makes each system call and each statement of a SQLite store fail, one in each run, and checks that nothing acknowledged is lost:
// npm run test:faults [-- --of call --from 120 --to 120 --error EIO --persists false --every 10 --seed 3]. Exits with 1 on a finding.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { bundledPath, bundlePrograms } from "../../packages/adapters/test/support/bundlePrograms.ts"
import {
  allFaults,
  callsOf,
  type FaultRunOptions,
  faultsOfFirst,
  type Outcome,
  runFaults
} from "../../packages/adapters/test/support/failingCalls/faultRuns.ts"
import { compileLibrary, libraryProblem } from "../../packages/adapters/test/support/failingCalls/library.ts"
import { memoryFolder } from "../../packages/adapters/test/support/memoryFolder.ts"
import { FaultTable } from "./FaultTable.ts"

const { values } = parseArgs({
  options: {
    of: { type: "string" },
    from: { type: "string", default: "1" },
    to: { type: "string", default: "8192" },
    error: { type: "string" },
    persists: { type: "string" },
    every: { type: "string", default: "1" },
    seed: { type: "string", default: "0" },
    first: { type: "boolean", default: false },
    lines: { type: "boolean", default: false }
  }
})
const [from = 1, to = 1, every = 1, seed = 0] = [values.from, values.to, values.every, values.seed].map(Number)
if (![from, to, every, seed + 1].every((number) => Number.isSafeInteger(number) && number > 0)) {
  console.error(
    "Usage: npm run test:faults -- [--of call|statement] [--from NUMBER] [--to NUMBER] [--error EIO] [--persists true|false] [--first] [--every NUMBER --seed NUMBER] [--lines]"
  )
  process.exit(2)
}
const problem = libraryProblem()
if (problem !== undefined) {
  console.error(`Cannot make calls fail: ${problem}.`)
  process.exit(2)
}

const command = (fault: Outcome["fault"]): string =>
  `npm run test:faults -- --of ${fault.of} --from ${fault.at} --to ${fault.at} --error ${fault.error} --persists ${fault.persists} --lines`

const kindOf = ({ fault, run }: Outcome): string => {
  const kind = fault.of === "call" ? run.failed?.split(" ")[0] : run.failed?.match(/^(prepare )?\w+/)?.[0]
  return `${fault.of} ${kind ?? "?"}`
}

const program = fileURLToPath(new URL("../../packages/adapters/test/programs/meet-faults.ts", import.meta.url))
const bundle = await bundlePrograms([program])
const folder = mkdtempSync(join(tmpdir(), "petstore-faults-"))
const start = performance.now()
const table = new FaultTable()
try {
  const library = join(folder, "failingCalls.so")
  compileLibrary(library)
  const options: FaultRunOptions = {
    command: [process.execPath, "--disable-warning=ExperimentalWarning", bundledPath(bundle, program)],
    library,
    parent: memoryFolder()
  }
  const summary = await callsOf(options)
  const faults = (values.first ? faultsOfFirst : allFaults)(summary)
    .filter(({ of }) => values.of === undefined || of === values.of)
    .filter(({ at }) => at >= from && at <= to)
    .filter(({ error }) => values.error === undefined || error === values.error)
    .filter(({ persists }) => values.persists === undefined || `${persists}` === values.persists)
    .filter((_, index) => index % every === seed % every)
  console.log(`${summary.calls?.length} system calls, ${summary.statements?.length} statements, ${faults.length} runs`)
  await runFaults(faults, options, (outcome) => {
    const { fault, findings, run } = outcome
    table.add(
      kindOf(outcome),
      findings.length > 0,
      run.lines.some((line) => line.startsWith("rejected "))
    )
    if (findings.length > 0) console.log([command(fault), run.failed, ...findings].join("\n  "))
    if (values.lines) console.log(run.lines.join("\n"))
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
  rmSync(bundle, { recursive: true, force: true })
}
console.log(table.text)
console.log(
  `${table.runs} runs in ${Math.round((performance.now() - start) / 1000)} seconds, ${table.findings} with findings`
)
process.exitCode = table.findings === 0 ? 0 : 1
