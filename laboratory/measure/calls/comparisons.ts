import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { petsFile } from "../../load/petsFile.ts"
import type { Comparison, Side } from "../Comparison.ts"
import { command } from "../http/ServerProcess.ts"
import { processSide } from "../inProcess/processSide.ts"
import { runOnce } from "../inProcess/runOnce.ts"

const side = processSide(new URL("contenders.ts", import.meta.url))
const importByHand = fileURLToPath(new URL("importByHand.ts", import.meta.url))

/** What an import has written. Ids and times of events differ from run to run, and nothing else. */
const countsOf = (file: string): string => {
  using database = new DatabaseSync(file)
  const tables = ["categories", "pets", "movements", "events"]
  const counts = tables.map((table) => `(SELECT count(*) FROM petstore_${table}) AS ${table}`)
  const sums = `(SELECT sum(length(name) * category_id) FROM petstore_pets) AS names,
    (SELECT sum(length(words)) FROM petstore_pets) AS words,
    (SELECT sum(length(data) * length(type)) FROM petstore_events) AS data`
  return JSON.stringify(database.prepare(`SELECT ${counts.join(", ")}, ${sums}`).get())
}

/** Imports a file of pets into a new database in each turn, from the start of a program to its end. */
const importing = (): Comparison => {
  let expected: string | undefined
  const importer = (name: string, args: (csv: string, file: string) => ReadonlyArray<string>): Side => ({
    name,
    open: async (context) => {
      const csv = petsFile(context.folder, context.isQuick ? 5_000 : 52_519)
      const empty = join(context.folder, "empty.db")
      await (await createPetstore({ storage: sqlite(empty) })).close()
      let turns = 0
      return {
        turn: async () => {
          const file = join(context.folder, `${name.replaceAll(" ", "-")}-${++turns}.db`)
          copyFileSync(empty, file)
          const sample = await runOnce(args(csv, file), context)
          const counts = countsOf(file)
          expected ??= counts
          if (counts !== expected) throw new Error(`${name} has written ${counts}, not ${expected}`)
          return sample
        },
        close: async () => {}
      }
    }
  })
  const columns = ["--column", "name=animal_name", "--column", "category=species"]
  return {
    does: "import 52,519 pets",
    sides: [
      importer("ours", (csv, file) => {
        const flags = ["--storage", `sqlite:${file}`, "--rejected", `${file}.rejected.csv`]
        return [command, "import", csv, ...columns, ...flags]
      }),
      importer("by hand", (csv, file) => [importByHand, file, csv])
    ],
    figures: ["time", "memory"],
    why: "import",
    rounds: 4
  }
}

export const callComparisons: ReadonlyArray<Comparison> = [
  { does: "`pets.get`", sides: [side("ours", "get"), side("by hand", "get by hand")], why: "promise" },
  {
    does: "`orders.place`, 64 callers",
    sides: [side("ours", "place"), side("by hand", "place by hand")],
    why: "layers"
  },
  {
    does: "`orders.place`, store in memory",
    sides: [side("ours", "place in memory"), side("Maps", "place in Maps")],
    why: "memory"
  },
  ...[1, 16].map(
    (callers): Comparison => ({
      does: `transaction of 3 orders, ${callers} ${callers === 1 ? "caller" : "callers"}`,
      sides: [side("ours", `transaction, ${callers}`), side("by hand", `transaction by hand, ${callers}`)],
      why: "transaction"
    })
  ),
  {
    does: "transaction of 3 orders",
    sides: [side("ours", "transaction, 16"), side("3-calls", "three calls")],
    figures: ["cpu"],
    why: "transaction"
  },
  {
    does: "orders by 4 processes on one file",
    sides: [side("ours", "place, 16", { processes: 4 }), side("1-process", "place")],
    why: "turns"
  },
  importing()
]
