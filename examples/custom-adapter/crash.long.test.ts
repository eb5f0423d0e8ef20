import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { createPetstore } from "@petstore/core"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { bundledProgram, compileCache } from "../../packages/adapters/test/support/bundledProgram.ts"
import { lmdb } from "./lmdb.ts"

const program = fileURLToPath(new URL("./test/write.ts", import.meta.url))

let folder = ""
let children: Array<ChildProcess> = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "petstore-lmdb-"))
  children = []
})

afterEach(() => {
  for (const child of children) child.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a writer until so many pets are acknowledged, kills it, and returns their ids. */
const killAfter = async (file: string, name: string, acknowledgements: number): Promise<ReadonlyArray<number>> => {
  const child = spawn(process.execPath, [await bundledProgram(program), file, name], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...(await compileCache()) }
  })
  children.push(child)
  const closed = once(child, "close")
  const ids: Array<number> = []
  for await (const line of createInterface(child.stdout)) {
    ids.push(Number(line))
    if (ids.length === acknowledgements) child.kill("SIGKILL")
  }
  const [, signal] = await closed
  assert.strictEqual(signal, "SIGKILL")
  return ids
}

describe("an LMDB file whose writers are killed", () => {
  it("given two writers at once, when both are killed, then every pet that was acknowledged is there and all agrees", async () => {
    const file = join(folder, "petstore.mdb")
    const acknowledged = new Set<number>()
    for (const cycle of [1, 2, 3]) {
      const killed = await Promise.all([
        killAfter(file, `first ${cycle}`, 20 * cycle),
        killAfter(file, `second ${cycle}`, 50)
      ])
      for (const id of killed.flat()) {
        assert.isFalse(acknowledged.has(id), `the id ${id} is given once`)
        acknowledged.add(id)
      }
      await using petstore = await createPetstore({ storage: lmdb(file) })
      const present = new Set<number>()
      for await (const { id } of petstore.pets.all()) present.add(id)
      assert.deepStrictEqual(
        [...acknowledged].filter((id) => !present.has(id)),
        []
      )
      assert.isTrue((await petstore.verify()).ok)
    }
  })

  it("given a store that watches, when another process commits, then it is notified of every event", async () => {
    const file = join(folder, "petstore.mdb")
    await using petstore = await createPetstore({ storage: lmdb(file) })
    const seen: Array<number> = []
    const fifth = Promise.withResolvers<void>()
    const subscription = await petstore.events.subscribe((event) => {
      seen.push(event.seq)
      if (event.type === "pet.created" && event.data.id === 5) fifth.resolve()
    })
    await Promise.all([killAfter(file, "elsewhere", 5), fifth.promise])
    subscription.close()
    assert.deepStrictEqual(
      seen,
      Array.from({ length: seen.length }, (_, index) => index + 1)
    )
  })
})
