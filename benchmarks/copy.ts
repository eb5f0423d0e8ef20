/**
 * Rows per second and peak memory of `petstore copy` from SQLite to PostgreSQL and back:
 * `npm run bench:copy -- --rows 100000 --url postgres://localhost/empty --heap 512`. Each copy compares every row and checks every invariant.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { sqlite } from "@petstore/adapters/sqlite"
import * as Effect from "effect/Effect"
import { runCli } from "../packages/http/src/cli/runCli.ts"
import { StopSignal } from "../packages/http/src/cli/stopSignal.ts"
import { fillLargeStore } from "./largeStore.ts"

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    url: { type: "string" },
    file: { type: "string" },
    heap: { type: "string", default: "512" },
    from: { type: "string" },
    to: { type: "string" }
  }
})

/** Copies in this process, and prints what it took. */
const copy = async (from: string, to: string): Promise<void> => {
  const begun = performance.now()
  process.exitCode = await Effect.runPromise(
    Effect.provide(runCli(["copy", "--from", from, "--to", to]), StopSignal.layer)
  )
  const seconds = (performance.now() - begun) / 1000
  const { maxRSS, systemCPUTime, userCPUTime } = process.resourceUsage()
  const cpu = ((userCPUTime + systemCPUTime) / 1e6).toFixed(1)
  console.log(`${seconds.toFixed(1)} s, ${cpu} s of the processor, peak ${Math.round(maxRSS / 1024)} MB`)
}

const copyApart = (from: string, to: string): void => {
  console.log(`${from.replace(/:.*/s, "")} to ${to.replace(/:.*/s, "")}`)
  const args = [
    `--max-old-space-size=${values.heap}`,
    "--conditions=@petstore/source",
    import.meta.filename,
    "--from",
    from,
    "--to",
    to
  ]
  spawnSync(process.execPath, args, { stdio: "inherit" })
}

if (values.from !== undefined && values.to !== undefined) await copy(values.from, values.to)
else {
  if (values.url === undefined) throw new Error("Add --url with the URL of an empty PostgreSQL database")
  const folder = mkdtempSync(join(tmpdir(), "petstore-copy-"))
  const file = values.file ?? join(folder, "first.db")
  if (!existsSync(file)) await fillLargeStore(sqlite(file), Number(values.rows))
  copyApart(`sqlite:${file}`, values.url)
  copyApart(values.url, `sqlite:${join(folder, "second.db")}`)
  rmSync(folder, { recursive: true })
}
