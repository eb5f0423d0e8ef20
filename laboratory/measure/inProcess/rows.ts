import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { BenchContext, RowGroup } from "../Bench.ts"
import { onCore, serverCore } from "../machine/cores.ts"
import { nextMessage } from "../machine/nextMessage.ts"
import { type Row, rowOf, type Target } from "../report/Row.ts"
import { quantile } from "../report/statistics.ts"
import { takeTurns } from "../turns.ts"

const workspace = fileURLToPath(new URL("../../../", import.meta.url))
const program = fileURLToPath(new URL("program.ts", import.meta.url))

interface Round {
  /** Calls per second. */
  readonly rate: number
  /** Microseconds of processor time for a call. */
  readonly cpu: number
}

const start = async (name: string, root: string, { folder, syncDelay }: BenchContext) => {
  const child = fork(program, [name, folder, root], {
    ...onCore(serverCore),
    env: { ...process.env, NODE_OPTIONS: "", ...syncDelay.environment(0.1) }
  })
  await nextMessage(child, name)
  return {
    round: async (seconds: number): Promise<Round> => {
      const result = nextMessage(child, name)
      child.send(seconds)
      return (await result) as Round
    },
    stop: () => child.kill("SIGKILL")
  }
}

/** Compares a contender with one that is written by hand, and with the same one of the checkout before. */
const comparison = (name: string, ours: string, peer: string, target?: Target): RowGroup => ({
  name,
  measure: async (context) => {
    const { before, isQuick } = context
    const sides = [
      { name: "ours", contender: ours, root: workspace },
      { name: peer, contender: peer, root: workspace },
      ...(before === undefined ? [] : [{ name: "before", contender: ours, root: before }])
    ]
    const processes = await Promise.all(sides.map(({ contender, root }) => start(contender, root, context)))
    const measure = async () => {
      for (const process of processes) await process.round(isQuick ? 1 : 3)
      return takeTurns(
        isQuick ? 3 : 15,
        processes.map((process) => () => process.round(isQuick ? 0.2 : 0.5))
      )
    }
    const { disturbed, results } = await measure().finally(() => {
      for (const process of processes) process.stop()
    })
    const [own = [], ...others] = results
    const cpuOf = (rounds: ReadonlyArray<Round>): number =>
      quantile(
        rounds.map(({ cpu }) => cpu),
        0.5
      )
    return others.map((rounds, index): Row => {
      const peerName = sides[index + 1]?.name ?? ""
      return rowOf({
        row: ours,
        unit: "calls/s",
        peerName,
        ours: own.map(({ rate }) => rate),
        peer: rounds.map(({ rate }) => rate),
        target: peerName === peer ? target : undefined,
        disturbed,
        processor: [cpuOf(own), cpuOf(rounds)]
      })
    })
  }
})

export const inProcessRows: ReadonlyArray<RowGroup> = [
  comparison("get", "get, memory, Effect", "a Map with a copy"),
  comparison("get", "get, memory, promise", "a Map with a copy"),
  comparison("get", "get, SQLite, Effect", "a prepared statement", { atLeast: 1 }),
  comparison("get", "get, SQLite, promise", "a prepared statement", { atLeast: 0.8 }),
  comparison("place", "place, SQLite, 64", "64 per commit by hand", { atLeast: 0.85 }),
  comparison("place", "place, SQLite, 1", "1 per commit by hand", { atLeast: 0.9 }),
  comparison("place", "place, memory", "Maps by hand")
]
