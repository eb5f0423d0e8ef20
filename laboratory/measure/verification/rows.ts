import { spawn } from "node:child_process"
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { sqlite } from "@petstore/adapters/sqlite"
import type { RowGroup } from "../Bench.ts"
import { fillLargeStore } from "../largeStore.ts"
import { rowOf } from "../report/Row.ts"

const workspace = fileURLToPath(new URL("../../../", import.meta.url))

/** What a verification of 10^6 pets and orders may take. */
const targets = { seconds: 30, megabytes: 512 }

interface Verified {
  readonly seconds: number
  readonly megabytes: number
}

/** The most memory that a process has held so far, in megabytes; 0 where the system does not show it. */
const peakOf = (pid: number): number => {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024
  } catch {
    return 0
  }
}

/** Runs a program of Node.js to its end. */
const run = (args: ReadonlyArray<string>): Promise<Verified> =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    const child = spawn(process.execPath, args, {
      env: { ...process.env, NODE_OPTIONS: "" },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let [output, megabytes] = ["", 0]
    const watch = setInterval(() => {
      megabytes = Math.max(megabytes, peakOf(child.pid ?? 0))
    }, 50)
    child.stdout.on("data", (text) => {
      output += text
    })
    child.once("error", reject)
    child.once("close", (code) => {
      clearInterval(watch)
      if (code !== 0) return reject(new Error(`${args.join(" ")} ended with ${code}: ${output.slice(-500)}`))
      resolve({ megabytes, seconds: (performance.now() - begun) / 1_000 })
    })
  })

/** A file with so many pets and orders, which later runs use again. */
const largeFile = async (size: number): Promise<string> => {
  const file = join(tmpdir(), `petstore-bench-${size}.db`)
  if (existsSync(file)) return file
  const unfinished = `${file}.unfinished`
  for (const suffix of ["", "-wal", "-shm"]) rmSync(unfinished + suffix, { force: true })
  console.log(`Writing ${size} pets and orders to ${file}, once`)
  await fillLargeStore(sqlite(unfinished), size)
  renameSync(unfinished, file)
  return file
}

const againstTarget = (row: string, unit: string, ours: ReadonlyArray<number>, target: number) =>
  rowOf({ row, unit, peerName: "the target", ours, peer: ours.map(() => target), target: { atMost: 1 } })

/** `petstore verify`. */
const verifying: RowGroup = {
  name: "verify",
  measure: async ({ isQuick, size = isQuick ? 20_000 : 1_000_000 }) => {
    const file = await largeFile(size)
    const bin = join(workspace, "packages/http/bin/petstore.js")
    const alone: Array<Verified> = []
    for (let round = 0; round < (isQuick ? 1 : 3); round++) {
      alone.push(await run([bin, "verify", "--storage", `sqlite:${file}`]))
    }
    const of = `of ${size.toExponential(0).replace("e+", "e")}`
    return [
      againstTarget(
        `verify ${of}, command`,
        "s",
        alone.map(({ seconds }) => seconds),
        targets.seconds
      ),
      againstTarget(
        `verify ${of}, command`,
        "MB",
        alone.map(({ megabytes }) => megabytes),
        targets.megabytes
      )
    ]
  }
}

export const verificationRows: ReadonlyArray<RowGroup> = [verifying]
