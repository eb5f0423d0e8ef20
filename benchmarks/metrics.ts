// What a scrape of /metrics costs: with a store of many events, messages and deliveries, and 50 a second beside 64 clients that
// place orders. The server runs in a process of its own, on SQLite.

import { fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { parseArgs } from "node:util"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { createHandler } from "@petstore/http"
import { quantile } from "./report/statistics.ts"

const key = "an-admin-key-for-this-benchmark"
const clients = 64
const scrapesPerSecond = 50
const [, program = "", file, rowsGiven = "0"] = process.argv

/** Adds rows that a program would take hours to make: a tenth of the messages and two fifths of the deliveries are not delivered. */
const fill = (path: string, rows: number): void => {
  const database = new DatabaseSync(path)
  const numbers = `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${rows})`
  const at = "'2026-11-22T12:00:00.000Z'"
  database.exec(`PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN;
    INSERT INTO petstore_events (seq, id, type, subject, timestamp, data)
      ${numbers} SELECT n, 'evt_' || n, 'pet.deleted', 'pets/1', ${at}, '{"id":1}' FROM n;
    INSERT INTO petstore_messages (id, message, status, created_at, attempts, fence, finished_at, last_error)
      ${numbers} SELECT printf('msg_%09d', n), 'Hello', CASE n % 20 WHEN 0 THEN 'queued' WHEN 1 THEN 'failed' ELSE 'delivered' END,
        ${at}, 1, 1, iif(n % 20, ${at}, NULL), iif(n % 20 = 1, 'No', NULL) FROM n;
    INSERT INTO petstore_webhooks (id, url, ordered, concurrency, enabled, created_at, secret, route, version, deleted)
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 100)
      SELECT n, 'https://example.com/', 0, 10, 1, ${at}, 'whsec_a', '{"after":${rows},"enabled":true}', 1, 0 FROM n;
    INSERT INTO petstore_deliveries (id, webhook_id, seq, event_id, type, subject, status, attempts, created_at, fence,
        finished_at, next_attempt_at, failure)
      ${numbers} SELECT n, n % 100 + 1, n, 'evt_' || n, 'pet.deleted', 'pets/1',
        CASE n / 100 % 5 WHEN 0 THEN 'pending' WHEN 1 THEN 'failed' ELSE 'delivered' END, 1, ${at}, 1,
        iif(n / 100 % 5, ${at}, NULL), iif(n / 100 % 5, NULL, '2099-01-01T00:00:00.000Z'), iif(n / 100 % 5 = 1, 'status', NULL) FROM n;
    INSERT INTO petstore_consumers (id, position, fence, attempts, created_at)
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20) SELECT 'consumer' || n, n, 0, 0, ${at} FROM n;
    COMMIT`)
  database.close()
}

const serve = async (path: string, rows: number): Promise<void> => {
  await (await createPetstore({ storage: sqlite(path) })).close()
  if (rows > 0) fill(path, rows)
  const petstore = await createPetstore({ storage: sqlite(path) })
  const { id: categoryId } = await petstore.categories.create({ name: "Fish" })
  const { id: petId } = await petstore.pets.create({ name: "Guppy", categoryId })
  await petstore.inventory.set(petId, 1_000_000)
  const handler = createHandler(petstore, { adminKey: key, metrics: true, rateLimit: "off" })
  const server = createServer(handler.node)
  process.on("message", () => process.send?.(process.cpuUsage()))
  server.listen(0, "127.0.0.1", 4_096, () => process.send?.({ port: (server.address() as AddressInfo).port, petId }))
}

const measure = async (rows: number): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-metrics-"))
  const child = fork(program, [join(folder, "petstore.db"), String(rows)], {
    execArgv: ["--conditions=@petstore/source"]
  })
  const answer = <A>() => new Promise<A>((resolve) => child.once("message", (message) => resolve(message as A)))
  const { petId, port } = await answer<{ readonly port: number; readonly petId: number }>()
  /** Microseconds of processor time of the server. */
  const cpu = async (): Promise<number> => {
    const answered = answer<NodeJS.CpuUsage>()
    child.send("cpu")
    const { system, user } = await answered
    return system + user
  }
  const agent = new Agent({ keepAlive: true, maxSockets: clients + 4 })
  const send = (method: string, path: string, body?: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
      request({ agent, port, host: "127.0.0.1", method, path, headers }, (response) => {
        let bytes = 0
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length
        })
        response.on("end", () => (response.statusCode === 500 ? reject(new Error("500")) : resolve(bytes)))
      })
        .on("error", reject)
        .end(body)
    })

  const scrapes = 200
  const bytes = await send("GET", "/metrics")
  const before = await cpu()
  const began = performance.now()
  for (let n = 0; n < scrapes; n++) await send("GET", "/metrics")
  const each = (performance.now() - began) / scrapes
  const used = ((await cpu()) - before) / scrapes / 1_000
  console.log(
    `${rows} rows of each: ${bytes} bytes, ${each.toFixed(2)} ms and ${used.toFixed(2)} ms of processor time a scrape`
  )

  /** Orders for some seconds; returns how many a second, and microseconds of processor time for each. */
  const round = async (seconds: number, isScraped: boolean) => {
    const end = performance.now() + seconds * 1_000
    let orders = 0
    const start = await cpu()
    const scraper = isScraped ? setInterval(() => void send("GET", "/metrics"), 1_000 / scrapesPerSecond) : undefined
    const order = JSON.stringify({ petId, quantity: 1 })
    const client = async (): Promise<void> => {
      while (performance.now() < end) {
        await send("POST", "/v1/store/orders", order)
        orders++
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    clearInterval(scraper)
    return { rate: orders / seconds, cpu: ((await cpu()) - start) / orders }
  }
  await round(1, true)
  const alone: Array<Awaited<ReturnType<typeof round>>> = []
  const scraped: typeof alone = []
  for (let n = 0; n < 6; n++) {
    alone.push(await round(1, false))
    scraped.push(await round(1, true))
  }
  for (const [name, results] of Object.entries({ alone, [`beside ${scrapesPerSecond} scrapes/s`]: scraped })) {
    const rate = quantile(
      results.map((one) => one.rate),
      0.5
    )
    const time = quantile(
      results.map((one) => one.cpu),
      0.5
    )
    console.log(`${clients} clients ${name}: ${rate.toFixed(0)} orders/s, ${time.toFixed(0)} µs of processor time each`)
  }
  agent.destroy()
  child.kill("SIGKILL")
  await new Promise((resolve) => child.once("exit", resolve))
  rmSync(folder, { recursive: true, force: true })
}

if (file !== undefined && !file.startsWith("--")) await serve(file, Number(rowsGiven))
else {
  const { values } = parseArgs({ options: { rows: { type: "string", default: "1000000" } } })
  for (const rows of [0, Number(values.rows)]) await measure(rows)
}
