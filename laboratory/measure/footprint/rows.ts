import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { RowGroup } from "../Bench.ts"
import { rowOf } from "../report/Row.ts"

const program = fileURLToPath(new URL("program.ts", import.meta.url))

/** Bytes in the first release, and what is to be left of them. In memory measured by this program, on disk from outside. */
const cases = [
  { row: "heap of a pet", store: "memory", what: "pet", first: 1_534, target: 0.5 },
  { row: "heap of an order", store: "memory", what: "order", first: 1_859, target: 0.5 },
  { row: "disk of a pet", store: "SQLite", what: "pet", first: 571, target: 0.67 },
  { row: "disk of an order", store: "SQLite", what: "order", first: 499, target: 0.67 },
  { row: "disk of a completion", store: "SQLite", what: "completion", first: 553, target: 0.67 }
] as const

type Sizes = Readonly<Record<"pet" | "order" | "completion", number>>

const measure = (count: number, file?: string): Sizes => {
  const args = [...process.execArgv, "--expose-gc", program, String(count), ...(file === undefined ? [] : [file])]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }))
}

export const footprintRows: ReadonlyArray<RowGroup> = [
  {
    name: "footprint",
    measure: async ({ folder, isQuick }) => {
      const sizes = {
        memory: measure(isQuick ? 20_000 : 100_000),
        SQLite: measure(20_000, join(folder, "footprint.db"))
      }
      return cases.map(({ first, row, store, target, what }) =>
        rowOf({
          row,
          unit: "bytes",
          peerName: "first release",
          ours: [sizes[store][what]],
          peer: [first],
          target: { atMost: target }
        })
      )
    }
  }
]
