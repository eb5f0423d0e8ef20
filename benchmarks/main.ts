// All comparisons of docs/performance.md: `npm run bench`. Options:
// --only NAMES    groups of rows, with commas between them; without it, all
// --quick         fewer and shorter rounds, to see that everything runs
// --force         measures although other programs use the processors
// --size N        pets and orders of the row verify; a million if absent
// --throttled     a busy process takes half of the core of servers
// --before DIR    another checkout of this project, built, as a further peer
// --out FILE      where the results go, without an extension; benchmarks/results/latest if absent

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { installTools } from "../scripts/tools.ts"
import type { BenchContext } from "./Bench.ts"
import { clientRows } from "./client/rows.ts"
import { commandRows } from "./commands/rows.ts"
import { footprintRows } from "./footprint/rows.ts"
import { growthRows } from "./growth/rows.ts"
import { httpRows } from "./http/rows.ts"
import { inProcessRows } from "./inProcess/rows.ts"
import { isPinned } from "./machine/cores.ts"
import { instructionsProblem } from "./machine/instructions.ts"
import { describeMachine, measureOthers, tooBusy } from "./machine/machine.ts"
import { prepareSyncDelay, scratchFolder } from "./machine/syncDelay.ts"
import { throttleServers } from "./machine/throttle.ts"
import { postgresRows } from "./postgres/rows.ts"
import { processRows } from "./processes/rows.ts"
import { picture } from "./report/picture.ts"
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
  ...clientRows,
  ...footprintRows,
  ...startRows,
  ...verificationRows,
  ...processRows,
  ...subscriberRows,
  ...postgresRows
]
const names = [...new Set(groups.map(({ name }) => name))]

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    force: { type: "boolean", default: false },
    throttled: { type: "boolean", default: false },
    size: { type: "string" },
    before: { type: "string" },
    out: { type: "string", default: fileURLToPath(new URL("results/latest", import.meta.url)) }
  }
})
const wanted = values.only?.split(",") ?? names
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) throw new TypeError(`There are no rows ${unknown}; there are ${names.join(", ")}`)

const others = await measureOthers()
if (others > tooBusy && !values.force) {
  const share = Math.round(others * 100)
  console.error(
    `Other programs use ${share} % of the processors: results would be about them. Wait, or measure anyway with --force.`
  )
  process.exit(1)
}
await installTools("benchmarks/peers")

const folder = mkdtempSync(join(scratchFolder().folder, "petstore-bench-"))
const syncDelay = prepareSyncDelay(folder)
const notes: Array<string> = []
const note = (text: string): void => {
  if (!notes.includes(text)) console.log(`Note: ${text}`)
  notes.push(text)
}
if (!isPinned) note("server and clients are not kept on a core each: that needs two cores and taskset")
if (!syncDelay.inMemory) note("files are on the disk, whose syncs cost what they cost: /dev/shm is missing")
if (instructionsProblem !== undefined) note(`instructions are not counted: ${instructionsProblem}`)
if (others > tooBusy) note(`other programs used ${Math.round(others * 100)} % of the processors before the run`)

const size = values.size === undefined ? undefined : Number(values.size)
if (size !== undefined && !(Number.isSafeInteger(size) && size > 0))
  throw new TypeError(`--size ${values.size} is no number of pets and orders`)
const context: BenchContext = { folder, syncDelay, isQuick: values.quick, size, before: values.before, note }
const measured: Array<Row> = []
const freeServers = values.throttled ? throttleServers() : undefined
try {
  for (const group of groups.filter(({ name }) => wanted.includes(name))) {
    // Of its own: groups give their files the same names, and those of a large store take memory.
    const own = mkdtempSync(join(folder, `${group.name}-`))
    const rows = await group.measure({ ...context, folder: own })
    rmSync(own, { recursive: true, force: true })
    measured.push(...rows)
    if (rows.length > 0) console.log(`${table(rows)}\n`)
  }
} finally {
  freeServers?.()
  rmSync(folder, { recursive: true, force: true })
}
const othersAfter = await measureOthers()
if (othersAfter > tooBusy)
  note(`other programs used ${Math.round(othersAfter * 100)} % of the processors after the run`)

// First what ours loses.
const rows = measured.toSorted((a, b) => advantageOf(a) - advantageOf(b))
console.log(table(rows))
const judged = rows.filter((row) => hasPassed(row) !== undefined)
console.log(`${judged.filter(hasPassed).length} of ${judged.length} targets are reached`)
const undecided = rows.filter(isUndecided).length
if (undecided > 0) console.log(`${undecided} more have no verdict: the hypervisor disturbed most of their rounds`)
mkdirSync(dirname(values.out), { recursive: true })
const { quick, throttled } = values
const result = { machine: describeMachine(), quick, throttled, pinned: isPinned, notes: [...new Set(notes)], rows }
writeFileSync(`${values.out}.json`, `${JSON.stringify(result, undefined, 2)}\n`)
writeFileSync(`${values.out}.svg`, picture(rows))
console.log(`Written to ${values.out}.json and .svg`)
