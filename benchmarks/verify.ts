/**
 * Time, peak memory, longest hold of the event loop and growth of the write-ahead log when a large file is verified, alone and
 * beside a writer:
 * `npm run bench:verify -- --rows 1000000 --file /var/tmp/large.db --heap 512`. A file that exists is used as it is.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { parseArgs } from "node:util"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { fillLargeStore } from "./largeStore.ts"

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    file: { type: "string" },
    heap: { type: "string", default: "512" },
    step: { type: "string" }
  }
})
const own = values.file === undefined ? mkdtempSync(join(tmpdir(), "petstore-verify-")) : undefined
const file = values.file ?? join(own ?? "", "petstore.db")
const rows = Number(values.rows)

const megabytes = (bytes: number): number => Math.round(bytes / 1e6)

const verify = async (): Promise<void> => {
  const petstore = await createPetstore({ storage: sqlite(file) })
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const begun = performance.now()
  const { checks, ok } = await petstore.verify()
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  delay.disable()
  const { maxRSS, systemCPUTime, userCPUTime } = process.resourceUsage()
  await petstore.close()
  const checked = checks.reduce((sum, check) => sum + check.checked, 0)
  console.log(
    `${ok ? "ok" : "BROKEN"}: ${checked} checks in ${seconds} s (${((userCPUTime + systemCPUTime) / 1e6).toFixed(1)} s of the processor), peak ${Math.round(maxRSS / 1024)} MB, event loop held for ${(delay.max / 1e6).toFixed(0)} ms at most`
  )
}

/** Verifies in a process of its own with a limited heap. */
const verifyApart = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const args = [`--max-old-space-size=${values.heap}`, "--conditions=@petstore/source", import.meta.filename]
    const child = spawn(process.execPath, [...args, "--step", "verify", "--file", file], { stdio: "inherit" })
    child.once("error", reject)
    child.once("exit", (code, signal) => {
      if (code !== 0) console.log(`it ended with ${signal ?? code}`)
      resolve()
    })
  })

/** The same beside a writer, whose log is measured. */
const verifyBesideWriter = async (): Promise<void> => {
  const petstore = await createPetstore({ storage: sqlite(file) })
  let running = true
  let written = 0
  let largest = 0
  const timer = setInterval(() => {
    largest = Math.max(largest, existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0)
  }, 50)
  const writer = async () => {
    while (running) {
      await petstore.pets.create({ name: "Beside", categoryId: 1 })
      written++
    }
  }
  const writers = Array.from({ length: 64 }, writer)
  await verifyApart()
  running = false
  await Promise.all(writers)
  clearInterval(timer)
  await petstore.close()
  console.log(`beside ${written} writes the log grew to ${megabytes(largest)} MB`)
}

if (values.step === "verify") await verify()
else {
  if (!existsSync(file)) await fillLargeStore(sqlite(file), rows)
  console.log(`${rows} pets and orders in ${megabytes(statSync(file).size)} MB, a heap of ${values.heap} MB`)
  await verifyApart()
  await verifyBesideWriter()
  if (own !== undefined) rmSync(own, { recursive: true })
}
