import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const run = promisify(execFile)
const packages = fileURLToPath(new URL("../..", import.meta.url))
const effect = dirname(dirname(fileURLToPath(import.meta.resolve("effect"))))

/** Opens a store whose adapter uses its own copy of Effect, and prints the outcome. */
const program = `
import { createPetstore } from ${JSON.stringify(join(packages, "core/src/index.ts"))}
import * as Version from "effect/Version"
import { sqlite } from "./adapters/sqlite/index.ts"

const outcome = { version: Version.getCurrentVersion() }
try {
  const petstore = await createPetstore({ storage: sqlite("petstore.db") })
  const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
  const { id: petId } = await petstore.pets.create({ name: "Rex", categoryId })
  const orders = [1, 2, 3].map(() => petstore.orders.place({ petId }).then(() => "placed", ({ code }) => code))
  outcome.orders = await Promise.all(orders)
  outcome.ok = (await petstore.verify()).ok
  await petstore.close()
} catch (error) {
  outcome.name = error.name
  outcome.message = error.message
}
console.log(JSON.stringify(outcome))`

describe("given an adapter with a copy of Effect of its own", () => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-copies-"))
  const copy = join(folder, "node_modules", "effect")

  beforeAll(() => {
    const isCode = (file: string) => !/\.(map|d\.ts)$/.test(file)
    cpSync(join(effect, "dist"), join(copy, "dist"), { recursive: true, filter: isCode })
    cpSync(join(effect, "package.json"), join(copy, "package.json"))
    cpSync(join(packages, "adapters/src"), join(folder, "adapters"), { recursive: true })
    mkdirSync(join(folder, "node_modules/@petstore"))
    symlinkSync(join(packages, "core"), join(folder, "node_modules/@petstore/core"))
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
    writeFileSync(join(folder, "program.ts"), program)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Returns the outcome of opening a petstore if the copy of Effect differs in this. */
  const openedWith = async (file: string, from: string, to: string): Promise<unknown> => {
    const place = join(copy, "dist", file)
    const text = readFileSync(place, "utf8")
    assert.include(text, from)
    writeFileSync(place, text.replaceAll(from, to))
    try {
      const args = ["--conditions=@petstore/source", "--disable-warning=ExperimentalWarning", "program.ts"]
      return JSON.parse((await run(process.execPath, args, { cwd: folder, timeout: 60_000 })).stdout)
    } finally {
      writeFileSync(place, text)
      for (const name of ["petstore.db", "petstore.db-head"]) rmSync(join(folder, name), { force: true })
    }
  }

  const versionOfThis = /"version": "([^"]+)"/.exec(readFileSync(join(effect, "package.json"), "utf8"))?.[1]
  const dedupe = "See which copies there are with `npm ls effect`, and make them one with `npm dedupe`."

  it("when it differs in its version alone, then the two work together", async () => {
    assert.deepStrictEqual(await openedWith("internal/version.js", `"${versionOfThis}"`, '"4.0.6"'), {
      version: "4.0.6",
      orders: ["placed", "insufficient_stock", "insufficient_stock"],
      ok: true
    })
  })

  it("when its effects are incompatible, then opening fails, and the error shows what to do", async () => {
    const outcome = await openedWith("internal/core.js", "/evaluate`", "/perform`")
    assert.deepStrictEqual(outcome, {
      version: versionOfThis,
      name: "TypeError",
      message: `The storage adapter "sqlite" is built on another copy of effect, and does not open on effect ${versionOfThis}, which this @petstore/core runs on. ${dedupe}`
    })
  })

  it("when its layers are not recognised, then it is rejected at once, and the error shows what to do", async () => {
    const outcome = await openedWith("Layer.js", '"~effect/Layer"', '"~effect5/Layer"')
    assert.deepStrictEqual(outcome, {
      version: versionOfThis,
      name: "TypeError",
      message: `The storage adapter "sqlite" is built on an unknown version of Effect; this @petstore/core runs on effect ${versionOfThis}. ${dedupe}`
    })
  })
})
