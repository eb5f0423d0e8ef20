import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sourceCommandOf } from "../program.ts"
import { PostgresServer } from "./PostgresServer.ts"
import { isRunning } from "./processes.ts"
import { query } from "./testDatabase.ts"

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.create()
  await server.start()
})
afterAll(() => server.remove())

describe("given a PostgreSQL server of a test", () => {
  it.each(["immediate", "kill"] as const)(
    "when it is stopped with %s and started again, then what was committed is there and every connection was cut",
    async (mode) => {
      const table = `kept_${mode}`
      await query(server.url(), `CREATE TABLE ${table} AS SELECT 1 AS n`)
      const client = new pg.Client(server.url())
      await client.connect()
      const cut = new Promise((resolve) => client.on("error", resolve))
      const pid = server.pid ?? 0
      const [backend] = (await client.query("SELECT pg_backend_pid() AS pid")).rows
      await server.stop(mode)
      await cut
      expect([server.isRunning, isRunning(pid), isRunning(backend.pid)]).toEqual([false, false, false])
      await expect(query(server.url(), "SELECT 1")).rejects.toThrow("ECONNREFUSED")
      await server.start()
      expect(await query(server.url(), `SELECT n FROM ${table}`)).toEqual([{ n: 1 }])
    }
  )

  it("when the process that started it is killed, then the server ends and its folder is removed", async () => {
    const [command, ...args] = sourceCommandOf("start-server")
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
    const [text] = await once(child.stdout, "data")
    const { folder, pid } = JSON.parse(String(text))
    expect([isRunning(pid), existsSync(folder)]).toEqual([true, true])
    child.kill("SIGKILL")
    while (isRunning(pid) || existsSync(folder)) await sleep(20)
  })
})
