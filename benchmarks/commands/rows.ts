import { spawnSync } from "node:child_process"
import { copyFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import type { BenchContext, RowGroup } from "../Bench.ts"
import { onCore, serverCore } from "../machine/cores.ts"
import { rowOf } from "../report/Row.ts"

const workspace = fileURLToPath(new URL("../../", import.meta.url))
const byHand = fileURLToPath(new URL("importByHand.ts", import.meta.url))
const bin = (root: string): string => join(root, "packages/http/bin/petstore.js")

/** Runs a program to its end, on a new copy of a file, and returns the rows that it imported per second. */
const importOnce = (
  context: BenchContext,
  empty: string,
  rows: number,
  args: (file: string) => ReadonlyArray<string>
) => {
  const file = join(context.folder, "import.db")
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true })
  copyFileSync(empty, file)
  const { execArgv, execPath } = onCore(serverCore)
  const env = { ...process.env, NODE_OPTIONS: "", ...context.syncDelay.environment(0.1) }
  const start = performance.now()
  const { status, stderr } = spawnSync(execPath, [...(execPath === "taskset" ? execArgv : []), ...args(file)], { env })
  const seconds = (performance.now() - start) / 1_000
  if (status !== 0) throw new Error(`An import failed: ${stderr}`)
  const database = new DatabaseSync(file)
  const count = database.prepare(
    "SELECT count(*) AS pets, (SELECT count(*) FROM petstore_events) AS events FROM petstore_pets"
  )
  const { events, pets } = count.get() ?? {}
  database.close()
  if (pets !== rows || Number(events) !== 2 * rows + 1)
    throw new Error(`${pets} pets and ${events} events were imported`)
  return rows / seconds
}

/** From the start of the program to its end, 50,000 pets in one category. */
const importing: RowGroup = {
  name: "import",
  measure: async (context) => {
    const rows = context.isQuick ? 5_000 : 50_000
    const empty = join(context.folder, "empty.db")
    const petstore = await createPetstore({ storage: sqlite(empty) })
    await petstore.categories.create({ name: "Cats" })
    await petstore.close()
    const csv = join(context.folder, "pets.csv")
    const lines = Array.from({ length: rows }, (_, index) => `Cat ${index},Cats`)
    writeFileSync(csv, `name,category\n${lines.join("\n")}\n`)
    const command = (root: string) => (file: string) => [bin(root), "import", csv, "--storage", `sqlite:${file}`]
    const sides = [
      { name: "ours", args: command(workspace) },
      { name: "prepared inserts", args: (file: string) => [byHand, file, csv] },
      ...(context.before === undefined ? [] : [{ name: "before", args: command(context.before) }])
    ]
    const results: ReadonlyArray<Array<number>> = sides.map(() => [])
    for (let round = 0; round < (context.isQuick ? 2 : 7); round++) {
      for (const [index, { args }] of sides.entries()) {
        results[index]?.push(importOnce(context, empty, rows, args))
      }
    }
    const [ours = [], ...others] = results
    return others.map((peer, index) =>
      rowOf({
        row: "import",
        unit: "rows/s",
        peerName: sides[index + 1]?.name ?? "",
        ours,
        peer,
        target: index === 0 ? { atLeast: 0.5 } : undefined
      })
    )
  }
}

export const commandRows: ReadonlyArray<RowGroup> = [importing]
