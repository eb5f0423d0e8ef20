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
  server = await PostgresServer.create({ settings: { max_connections: 17 } })
  await server.start()
})
afterAll(() => server.remove())

describe("given a PostgreSQL server of a test", () => {
  it("when it runs, then it has the settings of the test, and syncs its commits", async () => {
    const rows = await query(
      server.url(),
      "SELECT name, setting FROM pg_settings WHERE name IN ('max_connections', 'fsync', 'synchronous_commit') ORDER BY name"
    )
    expect(rows.map(({ setting }) => setting)).toEqual(["on", "17", "on"])
  })

  it.each(["fast", "immediate", "kill"] as const)(
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

  it("when a standby follows it, then the standby has its rows, writes none, and takes over", async () => {
    await query(server.url(), "CREATE TABLE followed AS SELECT 1 AS n")
    const standby = await PostgresServer.standbyOf(server, "second")
    try {
      await standby.start()
      await query(server.url(), "INSERT INTO followed VALUES (2)")
      const rows = async () => (await query(standby.url(), "SELECT n FROM followed ORDER BY n")).map(({ n }) => n)
      while ((await rows()).length < 2) await sleep(5)
      expect(await rows()).toEqual([1, 2])
      await expect(query(standby.url(), "INSERT INTO followed VALUES (3)")).rejects.toThrow("read-only")
      expect(await query(server.url(), "SELECT application_name FROM pg_stat_replication")).toEqual([
        { application_name: "second" }
      ])
      await query(standby.url(), "SELECT pg_promote()")
      await query(standby.url(), "INSERT INTO followed VALUES (3)")
      expect(await rows()).toEqual([1, 2, 3])
    } finally {
      await standby.remove()
    }
  })

  it("when a setting is invalid, then the start fails with the log of the server", async () => {
    const broken = await PostgresServer.create({ settings: { max_connections: -1 } })
    try {
      await expect(broken.start()).rejects.toThrow("max_connections")
    } finally {
      await broken.remove()
    }
    expect(existsSync(broken.folder)).toBe(false)
  })

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
