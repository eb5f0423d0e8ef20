import { spawnSync } from "node:child_process"
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import type { BenchContext, RowGroup } from "../Bench.ts"
import { onCore, serverCore } from "../machine/cores.ts"
import { rowOf } from "../report/Row.ts"
import { takeTurns } from "../turns.ts"
import { petsFile } from "./petsFile.ts"

const workspace = fileURLToPath(new URL("../../../", import.meta.url))
const byHand = fileURLToPath(new URL("importByHand.ts", import.meta.url))
const bin = (root: string): string => join(root, "packages/http/bin/petstore.js")

const countsOf = (file: string): string => {
  const database = new DatabaseSync(file)
  const tables = ["categories", "pets", "movements", "events"]
  // Ids and times of events differ from run to run, and nothing else.
  const sums = `(SELECT sum(length(name) * category_id) FROM petstore_pets) AS names,
    (SELECT sum(length(data) * length(type)) FROM petstore_events) AS data`
  const counts = tables.map((table) => `(SELECT count(*) FROM petstore_${table}) AS ${table}`)
  const found = database.prepare(`SELECT ${counts.join(", ")}, ${sums}`).get()
  database.close()
  return JSON.stringify(found)
}

/** Runs a program to its end, on a new copy of a file. Returns how long it took, and what it has written. */
const importOnce = (context: BenchContext, empty: string, args: (file: string) => ReadonlyArray<string>) => {
  const folder = mkdtempSync(join(context.folder, "import-"))
  const file = join(folder, "import.db")
  copyFileSync(empty, file)
  const { execArgv, execPath } = onCore(serverCore)
  const env = { ...process.env, NODE_OPTIONS: "", ...context.syncDelay.environment(0.1) }
  const start = performance.now()
  const { status, stderr } = spawnSync(execPath, [...(execPath === "taskset" ? execArgv : []), ...args(file)], { env })
  const seconds = (performance.now() - start) / 1_000
  if (status !== 0) throw new Error(`An import failed: ${stderr}`)
  const counts = countsOf(file)
  rmSync(folder, { recursive: true })
  return { seconds, counts }
}

/** From the start of the program to its end. */
const importing: RowGroup = {
  name: "import",
  measure: async (context) => {
    const empty = join(context.folder, "empty.db")
    await (await createPetstore({ storage: sqlite(empty) })).close()
    const { description, file: csv } = petsFile(context.folder, context.isQuick)
    context.note(`import: ${description}`)
    const flags = ["--column", "name=animal_name", "--column", "category=species"]
    const rejected = join(context.folder, "rejected.csv")
    const command = (root: string) => (file: string) => [
      ...[bin(root), "import", csv, "--storage", `sqlite:${file}`],
      ...[...flags, "--rejected", rejected]
    ]
    const sides = [
      { name: "ours", args: command(workspace) },
      { name: "prepared inserts", args: (file: string) => [byHand, file, csv] },
      ...(context.before === undefined ? [] : [{ name: "before", args: command(context.before) }])
    ]
    let expected: string | undefined
    const importBy = async ({ args, name }: (typeof sides)[number]): Promise<number> => {
      const { counts, seconds } = importOnce(context, empty, args)
      // Another checkout may store the same in other rows.
      if (name !== "before") {
        expected ??= counts
        if (counts !== expected) throw new Error(`${name}: ${counts} was written, not ${expected}`)
      }
      return 1 / seconds
    }
    const { disturbed, results } = await takeTurns(
      context.isQuick ? 2 : 7,
      sides.map((side) => () => importBy(side))
    )
    const [ours = [], ...others] = results
    return others.map((peer, index) =>
      rowOf({
        row: "import",
        unit: "files/s",
        peerName: sides[index + 1]?.name ?? "",
        ours,
        peer,
        target: index === 0 ? { atLeast: 0.5 } : undefined,
        disturbed
      })
    )
  }
}

export const commandRows: ReadonlyArray<RowGroup> = [importing]
