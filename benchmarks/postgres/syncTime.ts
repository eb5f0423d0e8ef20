import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { median } from "./report.ts"

/** Milliseconds that the disk of the server takes to make a small write durable, as each commit waits for. */
export const syncTime = (): number => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-bench-sync-"))
  const file = openSync(join(folder, "log"), "w")
  const page = Buffer.alloc(8192)
  const times = Array.from({ length: 50 }, (_, index) => {
    const start = performance.now()
    writeSync(file, page, 0, page.length, index * page.length)
    fdatasyncSync(file)
    return performance.now() - start
  })
  closeSync(file)
  rmSync(folder, { recursive: true })
  return median(times)
}
