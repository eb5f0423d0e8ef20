import { fork } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { BenchContext, RowGroup } from "../Bench.ts"
import { onCore, serverCore } from "../machine/cores.ts"
import { nextMessage } from "../machine/nextMessage.ts"
import { rowOf } from "../report/Row.ts"
import { takeTurns } from "../turns.ts"
import { operations } from "./operations.ts"

const program = fileURLToPath(new URL("program.ts", import.meta.url))

const open = async ({ folder, syncDelay }: BenchContext, rows: number) => {
  const name = `a store of ${rows}`
  const child = fork(program, [join(folder, `growth-${rows}.db`), String(rows)], {
    ...onCore(serverCore, "--conditions=@petstore/source"),
    env: { ...process.env, NODE_OPTIONS: "", ...syncDelay.environment(0.1) }
  })
  await nextMessage(child, name)
  return {
    /** Microseconds of a call. */
    run: async (operation: string, calls: number): Promise<number> => {
      const next = (message: unknown): Promise<unknown> => {
        const result = nextMessage(child, `${operation} in ${name}`)
        child.send(message as object)
        return result
      }
      await next({ operation, calls })
      return Number(await next("run"))
    },
    stop: () => child.kill("SIGKILL")
  }
}

/** A store of a million pets and orders against one of ten thousand, with ids from all over both. */
const growing: RowGroup = {
  name: "growth",
  measure: async (context) => {
    const [few, many] = context.isQuick ? [1_000, 10_000] : [10_000, 1_000_000]
    const calls = context.isQuick ? 50 : 1_000
    const small = await open(context, few)
    const large = await open(context, many)
    try {
      const rows = []
      for (const operation of Object.keys(operations)) {
        const stores = [large, small]
        for (const store of stores) await store.run(operation, calls)
        const { disturbed, results } = await takeTurns(
          context.isQuick ? 3 : 15,
          stores.map((store) => () => store.run(operation, calls))
        )
        const [ours = [], peer = []] = results
        rows.push(
          rowOf({
            row: `${operation}, ${many} of each`,
            unit: "µs",
            peerName: `${few} of each`,
            ours,
            peer,
            target: { atMost: 1.3 },
            disturbed
          })
        )
      }
      return rows
    } finally {
      small.stop()
      large.stop()
    }
  }
}

export const growthRows: ReadonlyArray<RowGroup> = [growing]
