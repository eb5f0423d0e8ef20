import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { UsageError } from "../arguments.ts"
import type { Lab } from "../Lab.ts"
import type { BenchContext } from "./Bench.ts"
import { commandRows } from "./commands/rows.ts"
import { footprintRows } from "./footprint/rows.ts"
import { growthRows } from "./growth/rows.ts"
import { httpRows } from "./http/rows.ts"
import { inProcessRows } from "./inProcess/rows.ts"
import { isPinned } from "./machine/cores.ts"
import { describeMachine, measureOthers, tooBusy } from "./machine/machine.ts"
import { prepareSyncDelay, scratchFolder } from "./machine/syncDelay.ts"
import { postgresRows } from "./postgres/rows.ts"
import { processRows } from "./processes/rows.ts"
import { queueRows } from "./queues/rows.ts"
import { advantageOf, hasPassed, isUndecided, type Row } from "./report/Row.ts"
import { table } from "./report/table.ts"
import { startRows } from "./start/rows.ts"
import { subscriberRows } from "./subscribers/rows.ts"
import { verificationRows } from "./verification/rows.ts"

const groups = [
  ...httpRows,
  ...inProcessRows,
  ...commandRows,
  ...growthRows,
  ...footprintRows,
  ...startRows,
  ...verificationRows,
  ...processRows,
  ...subscriberRows,
  ...queueRows,
  ...postgresRows
]

interface Flags {
  readonly only: string | undefined
  readonly quick: boolean
  readonly force: boolean
  readonly before: string | undefined
  readonly size: number | undefined
  readonly out: string | undefined
}

const latest = fileURLToPath(new URL("results/latest", import.meta.url))

/** The share of the processors that other programs use; an error if they would disturb what is measured. */
const checkedOthers = async (force: boolean): Promise<number> => {
  const others = await measureOthers()
  if (others <= tooBusy || force) return others
  throw new UsageError(
    `Other programs use ${Math.round(others * 100)} % of the processors: results would be about them. Wait, or measure anyway with --force.`
  )
}

const measureGroups = async (context: BenchContext, names: ReadonlyArray<string>): Promise<ReadonlyArray<Row>> => {
  const measured: Array<Row> = []
  for (const group of groups.filter(({ name }) => names.includes(name))) {
    // Of its own: groups give their files the same names, and those of a large store take memory.
    const own = mkdtempSync(join(context.folder, `${group.name}-`))
    const rows = await group.measure({ ...context, folder: own })
    rmSync(own, { recursive: true, force: true })
    measured.push(...rows)
    if (rows.length > 0) console.log(`${table(rows)}\n`)
  }
  // First what ours loses.
  return measured.toSorted((a, b) => advantageOf(a) - advantageOf(b))
}

/** Compares the petstore with peers, and writes the rows of some groups. */
export const measure = async (lab: Lab<Flags>, names: ReadonlyArray<string>): Promise<void> => {
  const { before, force, only, out = latest, quick, size } = lab.flags
  const chosen = only?.split(",") ?? names
  const unknown = chosen.filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new UsageError(`There are no groups ${unknown} here; there are ${names}`)
  const others = await checkedOthers(force)
  const folder = mkdtempSync(join(scratchFolder().folder, "petstore-bench-"))
  const syncDelay = prepareSyncDelay(folder)
  const notes = new Set<string>()
  const note = (text: string): void => {
    if (!notes.has(text)) lab.log(`Note: ${text}`)
    notes.add(text)
  }
  if (!isPinned) note("server and clients are not kept on a core each: that needs two cores and taskset")
  if (!syncDelay.inMemory) note("files are on the disk, whose syncs cost what they cost: /dev/shm is missing")
  if (others > tooBusy) note(`other programs used ${Math.round(others * 100)} % of the processors before the run`)
  try {
    const rows = await measureGroups({ folder, syncDelay, isQuick: quick, size, before, note }, chosen)
    const othersAfter = await measureOthers()
    if (othersAfter > tooBusy)
      note(`other programs used ${Math.round(othersAfter * 100)} % of the processors after the run`)
    lab.log(table(rows))
    const judged = rows.filter((row) => hasPassed(row) !== undefined)
    lab.log(`${judged.filter(hasPassed).length} of ${judged.length} targets are reached`)
    const undecided = rows.filter(isUndecided).length
    if (undecided > 0) lab.log(`${undecided} more have no verdict: the hypervisor disturbed most of their rounds`)
    mkdirSync(dirname(out), { recursive: true })
    const result = { machine: describeMachine(), quick, pinned: isPinned, notes: [...notes], rows }
    writeFileSync(`${out}.json`, `${JSON.stringify(result, undefined, 2)}\n`)
    lab.log(`Written to ${out}.json`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
