import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createClient } from "@petstore/http/client"
import type { Lab } from "../Lab.ts"
import { type CalledServer, ServerLoad } from "../load/ServerLoad.ts"
import { petstore, type Server, serve } from "./command.ts"
import { type Input, writeInput } from "./input.ts"
import { until } from "./limit.ts"

const calls = 2_000
const clients = 32

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** Runs a step of the story, and prints its result and its duration. */
const step = async <A>(name: string, run: () => Promise<readonly [A, string]>): Promise<A> => {
  const start = performance.now()
  const [value, said] = await run()
  print(`${name}: ${said} (${((performance.now() - start) / 1000).toFixed(2)} s)`)
  return value
}

const importInput = (input: Input, folder: string, storage: ReadonlyArray<string>): Promise<void> =>
  step("import", async () => {
    const rejected = join(folder, "rejected.csv")
    const columns = ["--column", "name=animal_name", "--column", "category=species"]
    const counts = await petstore("import", input.file, ...columns, "--rejected", rejected, ...storage)
    assert.match(counts, new RegExp(`^imported ${input.imported}$`, "m"))
    assert.match(counts, new RegExp(`^rejected ${input.rejected},`, "m"))
    const named = readFileSync(rejected, "utf8").match(/^\d+,animal_name is empty,/gm) ?? []
    assert.equal(named.length, input.rejected, "every rejected row is named with its line and reason")
    return [
      undefined,
      `${input.imported} pets imported, ${input.rejected} rows rejected by line, of ${input.description}`
    ]
  })

const walkPages = (server: CalledServer, expected: number): Promise<void> =>
  step("walk", async () => {
    const ids: Array<number> = []
    for await (const { id } of createClient({ baseUrl: server.api, key: server.key }).pets.all({ limit: 100 })) {
      assert.ok(id > (ids.at(-1) ?? 0), "lists are in ascending id")
      ids.push(id)
    }
    assert.equal(ids.length, expected, "the pages hold every pet once")
    return [undefined, `${ids.length} pets on ${Math.ceil(ids.length / 100)} pages of GET /pets`]
  })

const loadThroughKill = (load: ServerLoad, killAndRestart: () => Promise<void>): Promise<void> =>
  step("load", async () => {
    const reach = async (count: number): Promise<void> => {
      while (load.acknowledged < count) await sleep(10, undefined, { signal: until })
    }
    await reach(calls / 2)
    await killAndRestart()
    await reach(calls)
    await load.end()
    const failed = load.attempts.filter(({ error }) => error !== undefined).length
    assert.ok(failed > 0, "the server was killed in the middle")
    return [
      undefined,
      `${load.acknowledged} calls of ${clients} clients at once; ${failed} got no response at kill -9, and were sent again with their keys`
    ]
  })

const check = (load: ServerLoad): Promise<void> =>
  step("check", async () => {
    const { acknowledged, findings, rejected, unknown } = await load.judge([])
    assert.deepEqual(findings, [])
    assert.equal(unknown, 0, "every call got a response in the end")
    return [
      undefined,
      `each call took effect once: ${acknowledged.place} orders placed, ${acknowledged.complete} completed, ${acknowledged.cancel} cancelled, ${rejected} rejected as sold out, and none oversold`
    ]
  })

interface Report {
  readonly ok: boolean
  readonly checks: ReadonlyArray<{ readonly checked: number }>
}

const verify = (storage: ReadonlyArray<string>): Promise<void> =>
  step("verify", async () => {
    const report: Report = JSON.parse(await petstore("verify", "--json", ...storage))
    const rows = report.checks.reduce((sum, { checked }) => sum + checked, 0)
    assert.equal(report.ok, true)
    return [undefined, `0 violations of ${report.checks.length} invariants on ${rows} rows`]
  })

const runStory = async (folder: string, seed: number): Promise<void> => {
  const storage = ["--storage", `sqlite:${join(folder, "petstore.db")}`]
  let server: Server = await step("start", async () => {
    const started = await serve("--port", "0", ...storage)
    return [started, `${started.url} on a new SQLite file`]
  })
  const key = (await petstore("keys", "create", "--account", "demo", "--preset", "write", ...storage)).trim()
  const called = { name: "demo", api: server.url, key }
  const input = writeInput(folder)

  await importInput(input, folder, storage)
  await walkPages(called, input.imported)
  const load = new ServerLoad([called], { seed, clients, wait: 60 })
  await loadThroughKill(load, async () => {
    const { port } = new URL(server.url)
    assert.equal(await server.end("SIGKILL"), null)
    server = await serve("--port", port, ...storage)
  })
  await check(load)
  await verify(storage)
  assert.equal(await server.end("SIGTERM"), 0, "SIGTERM ends the server in order")
}

/**
 * What the petstore promises, shown on generated input: import, paging, the load of `petstore prove` from many clients at once, kill -9
 * in the middle of it, a restart, retries with the same idempotency keys, and a judgement that nothing was lost or sold twice.
 */
export const ask = async (lab: Lab): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-demo-"))
  try {
    await runStory(folder, lab.seed)
    lab.log("All of it holds.")
  } catch (error) {
    lab.found(`It does not hold: ${error instanceof Error ? error.stack : error}`, "")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
