import { mkdtempDisposableSync } from "node:fs"
import { join } from "node:path"
import { memoryFolder } from "../../packages/adapters/test/support/memoryFolder.ts"
import { UsageError } from "../arguments.ts"
import type { Lab } from "../Lab.ts"
import { type Comparison, chosenOf, rowsOf } from "./Comparison.ts"
import { comparisons, type MeasuredQuestion } from "./comparisons.ts"
import { lineOf } from "./document/lines.ts"
import { checkDocument, fillDocument } from "./document/performance.ts"
import { describeMachine, measureOthers, tooBusy } from "./machine/machine.ts"
import { isPinned } from "./machine/processes.ts"
import { prepareSyncDelay } from "./machine/syncDelay.ts"
import { type Measured, measureComparison } from "./measure.ts"
import { Databases } from "./postgres/Databases.ts"

interface Flags {
  readonly only: string | undefined
  readonly quick: boolean
  readonly force: boolean
  readonly write: boolean
  readonly check: boolean
}

/** The share of the processors that other programs use; an error if they would disturb what is measured. */
const checkedOthers = async (force: boolean): Promise<number> => {
  const others = await measureOthers()
  if (others <= tooBusy || force) return others
  throw new UsageError(
    `Other programs use ${Math.round(others * 100)} % of the processors: results would be about them. Wait, or measure anyway with --force.`
  )
}

/** Measures comparisons one after the other. One that fails is a finding, and does not end the others. */
const measureAll = async (lab: Lab<Flags>, all: ReadonlyArray<Comparison>): Promise<ReadonlyArray<Measured>> => {
  using parent = mkdtempDisposableSync(join(memoryFolder(), "petstore-bench-"))
  const syncDelay = prepareSyncDelay(parent.path)
  const databases = new Databases()
  const measured: Array<Measured> = []
  try {
    for (const [index, comparison] of all.entries()) {
      using folder = mkdtempDisposableSync(join(parent.path, "comparison-"))
      try {
        const context = {
          folder: folder.path,
          shared: parent.path,
          syncDelay,
          isQuick: lab.flags.quick,
          database: () => databases.create()
        }
        const rows = await measureComparison(comparison, context)
        measured.push(...rows)
        lab.log(`${index + 1} of ${all.length}, ${lab.seconds}: ${lineOf(rows)}`)
      } catch (error) {
        lab.found(`${comparison.does} failed: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    return measured
  } finally {
    await databases.stop()
  }
}

/** Compares the petstore with peers in the rows of some questions, and writes them into docs/performance.md if that is asked for. */
export const measure = async (lab: Lab<Flags>, names: ReadonlyArray<MeasuredQuestion>): Promise<void> => {
  const { check, only, write } = lab.flags
  if (check) {
    for (const problem of await checkDocument()) lab.found(problem, "")
    return
  }
  const chosen = chosenOf(
    names.flatMap((name) => comparisons[name]),
    only
  )
  if (chosen.length === 0) throw new UsageError(`No row contains ${JSON.stringify(only)}`)
  const before = await checkedOthers(lab.flags.force)
  if (!isPinned) lab.log("Server and clients are not kept on a core each: that needs two cores and taskset")
  const measured = await measureAll(lab, chosen)
  const others = Math.max(before, await measureOthers())
  lab.log(`${measured.length} of ${chosen.flatMap(rowsOf).length} rows measured in ${lab.seconds}`)
  for (const { peer, ratio, title, why } of measured)
    if (why === undefined && ratio !== undefined && ratio.high < 1)
      lab.log(`${title}: ours loses to ${peer}, and no reason is given`)
  if (write) await fillDocument(measured, describeMachine(others))
  // Contenders of a comparison that hangs may still run.
  if (lab.findings > 0) process.exit(1)
}
