import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

const run = promisify(execFile)

/** Runs a script in a fresh folder, in which `load(n)` loads the nth edition of the module, and returns what it prints. */
const printed = async (script: string, mode: "development" | "production" = "development"): Promise<string> => {
  const cwd = await mkdtemp(join(tmpdir(), "petstore-next-"))
  const module = new URL("lib/petstore.ts", import.meta.url).href
  const prelude = `
    import { mkdirSync, readdirSync, readlinkSync, rmdirSync } from "node:fs"
    const load = (n) => import(${JSON.stringify(module)} + "?" + n)
    const open = () => readdirSync("/proc/self/fd").filter((fd) => {
      try { return readlinkSync("/proc/self/fd/" + fd).endsWith("/shop.db") } catch { return false }
    }).length
  `
  const flags = ["--conditions=@petstore/source", "--disable-warning=ExperimentalWarning", "--input-type=module", "-e"]
  try {
    const env = { ...process.env, NODE_ENV: mode }
    return (await run(process.execPath, [...flags, prelude + script], { cwd, env })).stdout
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

describe.skipIf(process.platform !== "linux")("given the module of the Next.js example", () => {
  it("when next dev loads it again and again, then the former petstore is closed, and all copies use the latest", async () => {
    const script = `
      const first = await load(1)
      const former = await first.shop()
      const descriptors = open()
      for (let n = 2; n <= 6; n++) await load(n)
      const latest = await first.shop()
      const { shop } = await load(6)
      console.log(
        await former.petstore.pets.list().catch(({ code }) => code),
        latest === (await shop()),
        (await latest.petstore.pets.list()).items.length,
        open() === descriptors
      )
      await latest.close()
    `
    assert.strictEqual(await printed(script), "shutting_down true 0 true\n")
  })

  it("when opening fails, then the next request opens it", async () => {
    const script = `
      mkdirSync("shop.db")
      const { shop } = await load(1)
      const codes = await Promise.all([1, 2].map(() => shop().catch(({ code }) => code)))
      await load(2)
      codes.push(await shop().catch(({ code }) => code))
      rmdirSync("shop.db")
      const { petstore, close } = await shop()
      console.log(...codes, (await petstore.pets.list()).items.length)
      await close()
    `
    assert.strictEqual(await printed(script), "internal_error internal_error internal_error 0\n")
  })

  it("when a server in production loads it twice, then both copies keep one petstore", async () => {
    const script = `
      const one = await (await load(1)).shop()
      console.log(one === (await (await load(2)).shop()))
      await one.close()
    `
    assert.strictEqual(await printed(script, "production"), "true\n")
  })
})
