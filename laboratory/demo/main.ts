import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempDisposableSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { createClient } from "@petstore/http/client"
import type { Lab } from "../Lab.ts"
import { listeningAt } from "../load/listeningAt.ts"
import { namelessEvery, petsFile } from "../load/petsFile.ts"
import { type CalledServer, ServerLoad } from "../load/ServerLoad.ts"

const rows = 5_000
const rejected = Math.ceil(rows / namelessEvery)
const imported = rows - rejected
const calls = 2_000
const clients = 32

const limitMillis = 300_000
/** Ends the story if it hangs. */
const until = AbortSignal.timeout(limitMillis)

const bin = fileURLToPath(new URL("../../packages/http/bin/petstore.js", import.meta.url))

const start = (...args: ReadonlyArray<string>) =>
  spawn(process.execPath, [bin, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    signal: until,
    killSignal: "SIGKILL"
  }).on("error", () => {
    // It ends then, which is what is waited for.
  })

/** Runs `petstore`, which must succeed, and returns its standard output. */
const petstore = async (...args: ReadonlyArray<string>): Promise<string> => {
  const child = start(...args)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  if (code !== 0) throw new Error(`petstore ${args.join(" ")} ended with ${code}\n${stdout}${stderr}`)
  return stdout
}

/** A running server. */
interface Server {
  readonly url: URL
  /** Sends a signal, and returns the exit code; null if the signal ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>
}

/** Starts `petstore serve`, and waits until it listens. */
const serve = async (...args: ReadonlyArray<string>): Promise<Server> => {
  const child = start("serve", ...args)
  child.stdout.resume()
  const closed = once(child, "close")
  process.once("exit", () => child.kill("SIGKILL"))
  const url = await listeningAt(child, "The server")
  return {
    url,
    end: async (signal) => {
      child.kill(signal)
      const [code] = await closed
      return code
    }
  }
}

/** Runs a step of the story, and prints its result and its duration. */
const step = async <A>(name: string, run: () => Promise<readonly [A, string]>): Promise<A> => {
  const begun = performance.now()
  const [value, said] = await run()
  process.stdout.write(`${name}: ${said} (${((performance.now() - begun) / 1000).toFixed(2)} s)\n`)
  return value
}

const importPets = (folder: string, storage: ReadonlyArray<string>): Promise<void> =>
  step("import", async () => {
    const rejections = join(folder, "rejected.csv")
    const columns = ["--column", "name=animal_name", "--column", "category=species"]
    const counts = await petstore("import", petsFile(folder, rows), ...columns, "--rejected", rejections, ...storage)
    assert.match(counts, new RegExp(`^imported ${imported}$`, "m"))
    assert.match(counts, new RegExp(`^rejected ${rejected},`, "m"))
    const named = readFileSync(rejections, "utf8").match(/^\d+,animal_name is empty,/gm) ?? []
    assert.equal(named.length, rejected, "every rejected row is named with its line and reason")
    return [undefined, `${imported} pets imported, ${rejected} rows rejected by line, of ${rows} generated rows`]
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
    const { acknowledged, findings, rejected: soldOut, unknown } = await load.judge([])
    assert.deepEqual(findings, [])
    assert.equal(unknown, 0, "every call got a response in the end")
    return [
      undefined,
      `each call took effect once: ${acknowledged.place} orders placed, ${acknowledged.complete} completed, ${acknowledged.cancel} cancelled, ${soldOut} rejected as sold out, and none oversold`
    ]
  })

interface Report {
  readonly ok: boolean
  readonly checks: ReadonlyArray<{ readonly checked: number }>
}

const verify = (storage: ReadonlyArray<string>): Promise<void> =>
  step("verify", async () => {
    const report: Report = JSON.parse(await petstore("verify", "--json", ...storage))
    const checked = report.checks.reduce((sum, one) => sum + one.checked, 0)
    assert.equal(report.ok, true)
    return [undefined, `0 violations of ${report.checks.length} invariants on ${checked} rows`]
  })

const runStory = async (folder: string, seed: number): Promise<void> => {
  const storage = ["--storage", `sqlite:${join(folder, "petstore.db")}`]
  let server: Server = await step("start", async () => {
    const started = await serve("--port", "0", ...storage)
    return [started, `${started.url} on a new SQLite file`]
  })
  const key = (await petstore("keys", "create", "--account", "demo", "--preset", "write", ...storage)).trim()
  const called = { name: "demo", api: server.url.href, key }

  await importPets(folder, storage)
  await walkPages(called, imported)
  const load = new ServerLoad([called], { seed, clients, wait: 60 })
  await loadThroughKill(load, async () => {
    assert.equal(await server.end("SIGKILL"), null)
    server = await serve("--port", server.url.port, ...storage)
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
  using folder = mkdtempDisposableSync(join(tmpdir(), "petstore-demo-"))
  try {
    await runStory(folder.path, lab.seed)
    lab.log("All of it holds.")
  } catch (error) {
    lab.found(`It does not hold: ${error instanceof Error ? error.stack : error}`, "")
  }
}
