// Runs the cases of the contracts in memory and of the unit tests of the core, with faults that its parent names, one after the other.
import { globSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { checkInvariants, embeddedContract, modelContract, petstoreContract, storageContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { memoryPetstores, memoryStores } from "../../packages/core/test/support/memoryFixtures.ts"
import { root } from "../../packages/test/support/workspace.ts"
import { type Case, cases, collectFor } from "./collect.ts"

/** A case, for how many ticks it may run, and the number of units that have seen a fault from which on it need not. */
export interface Planned {
  readonly index: number
  readonly ticks: number
  readonly enough: number
}

/** What a parent wants: to know the cases, or which of them see a fault, one of each unit at most. */
export type Asked = "cases" | { readonly fault: number; readonly planned: ReadonlyArray<Planned> }

/** A case, how long it takes, and the places that it reaches; it has none if it does not pass twice in one process. */
export interface Known extends Pick<Case, "unit" | "name"> {
  readonly milliseconds: number
  readonly places: ReadonlyArray<number>
}

export type Told =
  | "ready"
  | "alive"
  | "done"
  | { readonly known: ReadonlyArray<Known>; readonly once: ReadonlyArray<number> }
  | { readonly begins: number }
  /** Whether the case passes without the fault: the fault leaves nothing in the process that it fails on. */
  | { readonly fails: number; readonly passesWithout: boolean }

declare global {
  var $fault: { on: number; hits: Uint8Array }
}

const tell = (told: Told): void => void process.send?.(told)
/** The fault that is there from the beginning, for places that run while the sources load. */
const own = Number(process.env.FAULT ?? -1)
globalThis.$fault.on = own

/** Milliseconds of a tick. A process that the machine does not run has none, so that patience is not about a busy machine. */
const tick = 10

/** Ticks that any case may take without a fault. */
const longestTicks = 6_000

/** Whether a case passes in time. It is interrupted if not. */
const passes = async ({ run }: Case, ticks: number): Promise<boolean> => {
  const stop = new AbortController()
  let isOver = false
  const result = (async () => run({ signal: stop.signal, onTestFinished: () => {} }))().then(
    () => true,
    () => false
  )
  void result.then(() => {
    isOver = true
  })
  const patience = (async () => {
    for (let passed = 0; passed < ticks && !isOver; passed++) await sleep(tick)
    stop.abort()
    return false
  })()
  const passed = await Promise.race([result, patience])
  if (!isOver) await Promise.race([result, sleep(20 * tick)])
  return passed
}

/** They wait for leases in real time. */
const slow = ["consumers", "consumers of several petstores", "reservations that end"]

const load = async (): Promise<void> => {
  const fixture = { open: memoryPetstores.open, afterEach: checkInvariants }
  const contracts = [
    ...petstoreContract(fixture),
    ...embeddedContract(memoryPetstores),
    ...modelContract(fixture, { runs: 20, size: 60, seed: 1, maxShrinks: 0 }),
    ...storageContract(memoryStores)
  ].filter(({ group, skip }) => skip === undefined && !slow.includes(group))
  for (const { group, name, run } of contracts)
    cases.push({ unit: group, name, run: ({ signal }) => Effect.runPromise(run, { signal }) })
  const exclude = ["**/*.{int,contract,long}.test.ts", "**/architecture.test.ts"]
  for (const file of globSync("packages/core/src/**/*.test.ts", { cwd: root, exclude }).toSorted()) {
    collectFor(file.replace("packages/core/src/", ""))
    await import(`${root}/${file}`)
  }
}

/** Runs each case twice, the second time in the reverse order: what does not pass then depends on others. */
const learn = async (): Promise<Told> => {
  const { hits } = globalThis.$fault
  const take = (): ReadonlyArray<number> => {
    const places = [...hits.keys()].filter((place) => hits[place] === 1)
    hits.fill(0)
    return places
  }
  const [loading, first, second] = [take(), new Set<number>(), new Set<number>()]
  const known = cases.map(({ name, unit }): Known => ({ unit, name, milliseconds: 0, places: [] }))
  const indices = [...cases.keys()]
  for (const [order, reached] of [
    [indices, first],
    [indices.toReversed(), second]
  ] as const) {
    for (const index of order) {
      tell({ begins: index })
      const start = performance.now()
      const passed = known[index]!.milliseconds >= 0 && (await passes(cases[index]!, longestTicks))
      const places = take()
      for (const place of places) reached.add(place)
      const found = passed ? { milliseconds: performance.now() - start, places } : { milliseconds: -1, places: [] }
      Object.assign(known[index]!, found)
    }
  }
  return { known, once: [...new Set([...loading, ...[...first].filter((place) => !second.has(place))])] }
}

const look = async (fault: number, planned: ReadonlyArray<Planned>): Promise<void> => {
  const seeing = new Set<string>()
  for (const { enough, index, ticks } of planned) {
    const one = cases[index]!
    if (seeing.has(one.unit) || seeing.size >= enough) continue
    tell({ begins: index })
    globalThis.$fault.on = fault
    // Twice: it may fail by chance, or because of the time that something else takes.
    const passed = (await passes(one, ticks)) || (await passes(one, ticks))
    globalThis.$fault.on = own
    if (passed) continue
    seeing.add(one.unit)
    tell({ fails: index, passesWithout: own !== -1 || (await passes(one, ticks)) })
  }
}

process.on("disconnect", () => process.exit())
process.on("message", async (asked: Asked) => {
  if (asked === "cases") tell(await learn())
  else await look(asked.fault, asked.planned)
  tell("done")
})
setInterval(tell, 1_000, "alive")
await load()
// What a fault breaks may fail anywhere; a case that waits for it runs out of patience.
process.on("uncaughtException", () => {})
process.on("unhandledRejection", () => {})
tell("ready")
