import { type ChildProcess, fork } from "node:child_process"
import { copyFileSync, mkdtempSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { BenchContext, RowGroup } from "../Bench.ts"
import { makeShop, type ShopFile } from "../http/Shop.ts"
import { nextMessage } from "../machine/nextMessage.ts"
import { type Row, rowOf, type Target } from "../report/Row.ts"
import { quantile } from "../report/statistics.ts"
import { takeTurns } from "../turns.ts"
import type { Work, Worked } from "./Work.ts"

const workspace = fileURLToPath(new URL("../../../", import.meta.url))
const program = fileURLToPath(new URL("program.ts", import.meta.url))
const pets = 10_000
const counts = [2, 4] as const
const most = Math.max(...counts)

/** Processes on one file, on all cores: the system decides where each runs. */
const startProcesses = async (
  { syncDelay }: BenchContext,
  shop: ShopFile,
  folder: string,
  root: string,
  sync: number
): Promise<ReadonlyArray<ChildProcess> | undefined> => {
  const env = syncDelay.environment(sync)
  if (env === undefined) return undefined
  const file = join(folder, `processes-${Math.random().toString(36).slice(2)}.db`)
  copyFileSync(shop.file, file)
  const processes = Array.from({ length: most }, () =>
    fork(program, [file, root], { env: { ...process.env, NODE_OPTIONS: "", ...env } })
  )
  await Promise.all(processes.map((child) => nextMessage(child, "a process")))
  return processes
}

const run = async (processes: ReadonlyArray<ChildProcess>, work: Work): Promise<Worked> => {
  const results = processes.map((child) => nextMessage(child, "a process") as Promise<Worked>)
  for (const child of processes) child.send(work)
  const worked = await Promise.all(results)
  const total = worked.reduce((sum, { rate }) => sum + rate, 0)
  return {
    rate: total,
    cpu: worked.reduce((sum, { cpu, rate }) => sum + cpu * rate, 0) / total,
    latencies: worked.flatMap(({ latencies }) => latencies)
  }
}

/** One figure of several processes, against that of one process. */
interface Figure {
  readonly row: (count: number) => string
  readonly unit: string
  readonly of: (worked: Worked) => number
  /** The callers of each process, of so many. */
  readonly callers: (count: number) => number
  readonly target: (count: number) => Target | undefined
}

/** Rounds of one, two and four processes that take turns, as each figure of them. */
const comparison = (kind: Work["kind"], sync: number, { row, unit, of, callers, target }: Figure): RowGroup => ({
  name: "processes",
  measure: async (context) => {
    const { before, isQuick, note } = context
    const folder = mkdtempSync(join(context.folder, "processes-"))
    const shop = await makeShop(folder, pets)
    const roots = [workspace, ...(before === undefined ? [] : [before])]
    const stores: Array<ReadonlyArray<ChildProcess>> = []
    try {
      for (const root of roots) {
        const processes = await startProcesses(context, shop, folder, root, sync)
        if (processes === undefined) {
          note(`rows with ${sync} ms a sync are left out: they need Linux, /dev/shm and a C compiler (cc)`)
          return []
        }
        stores.push(processes)
      }
      const sizes = [1, ...counts]
      const cases = stores.flatMap((processes, store) => sizes.map((count) => ({ store, count, processes })))
      const workOf = (count: number, seconds: number): Work => ({ kind, callers: callers(count), seconds, pets })
      for (const { count, processes } of cases) {
        await run(processes.slice(0, count), workOf(count, isQuick ? 0.5 : 2))
      }
      const { disturbed, results } = await takeTurns(
        isQuick ? 3 : 15,
        cases.map(
          ({ count, processes }) =>
            () =>
              run(processes.slice(0, count), workOf(count, isQuick ? 0.3 : 1))
        )
      )
      const roundsOf = (store: number, count: number): ReadonlyArray<Worked> =>
        results[cases.findIndex((one) => one.store === store && one.count === count)] ?? []
      const compare = (
        count: number,
        peerName: string,
        peer: ReadonlyArray<Worked>,
        bound: Target | undefined
      ): Row => {
        const ours = roundsOf(0, count)
        return rowOf({
          row: row(count),
          unit,
          peerName,
          ours: ours.map(of),
          peer: peer.map(of),
          target: bound,
          disturbed,
          processor: [cpuOf(ours), cpuOf(peer)]
        })
      }
      return counts.flatMap(
        (count): ReadonlyArray<Row> => [
          compare(count, "one process", roundsOf(0, 1), target(count)),
          ...(before === undefined ? [] : [compare(count, "before", roundsOf(1, count), undefined)])
        ]
      )
    } finally {
      for (const child of stores.flat()) child.kill("SIGKILL")
    }
  }
})

const cpuOf = (rounds: ReadonlyArray<Worked>): number =>
  quantile(
    rounds.map(({ cpu }) => cpu),
    0.5
  )
const rateOf = ({ rate }: Worked): number => rate
const p99Of = ({ latencies }: Worked): number => quantile(latencies, 0.99)
const manyCallers = 64

const syncs = [0.1, 1, 5] as const

export const processRows: ReadonlyArray<RowGroup> = [
  ...syncs.map((sync) =>
    comparison("order", sync, {
      row: (count) => `orders by ${count} processes on one file, 64 callers each, ${sync} ms a sync`,
      unit: "calls/s",
      of: rateOf,
      callers: () => manyCallers,
      target: () => ({ atLeast: 0.95 })
    })
  ),
  ...syncs.map((sync) =>
    comparison("order", sync, {
      row: (count) => `orders by ${count} processes, p99 of ${manyCallers} callers in all, ${sync} ms a sync`,
      unit: "ms",
      of: p99Of,
      callers: (count) => manyCallers / count,
      target: () => ({ atMost: 2 })
    })
  ),
  comparison("get", 0.1, {
    row: (count) => `gets by ${count} processes on one file, 64 callers each`,
    unit: "calls/s",
    of: rateOf,
    callers: () => manyCallers,
    target: (count) => (count === 2 ? { atLeast: 1.38 } : undefined)
  })
]
