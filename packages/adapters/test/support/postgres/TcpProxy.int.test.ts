import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import pg from "pg"
import { type LostCommit, TcpProxy, tcpProxy } from "./TcpProxy.ts"
import { query, testDatabase } from "./testDatabase.ts"

interface Setting {
  readonly direct: string
  readonly proxy: TcpProxy
  readonly client: pg.Client
  /** The error with which the connection breaks. */
  readonly broken: Promise<Error>
}

/** Milliseconds, of a busy machine. */
const patience = 20_000

/** A client that is connected through a proxy. */
const connected: Effect.Effect<Setting, never, Scope.Scope> = Effect.gen(function* () {
  const direct = yield* testDatabase
  const proxy = yield* tcpProxy(direct)
  const client = new pg.Client(proxy.url(direct))
  const broken = new Promise<Error>((resolve) => client.on("error", resolve))
  yield* Effect.acquireRelease(
    Effect.promise(() => client.connect()),
    () => Effect.promise(() => Promise.race([client.end(), broken]))
  )
  return { direct, proxy, client, broken }
})

const when = (title: string, run: (setting: Setting) => Promise<void>): void =>
  it.effect(title, () => Effect.flatMap(connected, (setting) => Effect.promise(() => run(setting))))

describe("given a client that is connected through the proxy", () => {
  for (const [where, committed] of [
    ["before the server", 0],
    ["after the server", 1]
  ] satisfies ReadonlyArray<[LostCommit, number]>) {
    for (const commit of ["COMMIT", { name: "commit", text: "COMMIT" }]) {
      const kind = typeof commit === "string" ? "a plain" : "a named"
      when(
        `when ${kind} COMMIT is lost ${where}, then ${committed} of 1 transactions is committed`,
        async (setting) => {
          const { client, direct, proxy } = setting
          await client.query("CREATE TABLE pets (id int)")
          if (typeof commit !== "string") await client.query(commit)
          proxy.loseCommit(where)
          await client.query("BEGIN")
          await client.query("INSERT INTO pets VALUES (1)")
          expect(proxy.lostCommits).toBe(0)
          await expect(client.query(commit)).rejects.toThrow(/ECONNRESET|terminated/)
          expect(proxy.lostCommits).toBe(1)
          await setting.broken
          expect(await query(direct, "SELECT count(*)::int AS n FROM pets")).toEqual([{ n: committed }])
        }
      )
    }
  }

  for (const [error, stored] of [
    ["cut-before", 0],
    ["cut-after", 1],
    ["delay", 1],
    ["late", 1]
  ] as const) {
    when(`when the fault of its INSERT is ${error}, then ${stored} of 1 rows is stored`, async (setting) => {
      const { client, direct, proxy } = setting
      await client.query("CREATE TABLE pets (id int)")
      proxy.countMessages({ of: "client", at: 1, error })
      const outcome = client.query("INSERT INTO pets VALUES (1)").then(
        () => "inserted",
        () => "rejected"
      )
      await expect.poll(() => proxy.failed, { timeout: patience }).toEqual({ type: "Q", inCommit: false })
      if (error === "late") await client.end()
      expect(await outcome).toBe(error === "delay" ? "inserted" : "rejected")
      await expect
        .poll(() => query(direct, "SELECT count(*)::int AS n FROM pets"), { timeout: patience })
        .toEqual([{ n: stored }])
    })
  }
})

it("given a connection that is doubled, then two begin with the same message, and one has the rest", async () => {
  const received: Array<string> = []
  const server = createServer((socket) => {
    const number = received.push("") - 1
    socket.on("error", () => {})
    socket.on("data", (data) => {
      received[number] += data.toString("latin1")
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const proxy = await TcpProxy.listen((server.address() as AddressInfo).port)
  proxy.countMessages({ of: "connection", at: 1, error: "double" })
  const client = connect(proxy.port, "127.0.0.1")
  const start = "\0\0\0\u0008\0\u0003\0\0"
  client.write(`${start}S\0\0\0\u0004`, "latin1")
  await expect.poll(() => received.toSorted(), { timeout: patience }).toEqual([start, `${start}S\0\0\0\u0004`])
  expect(proxy.counts).toEqual({ client: 1, server: 0, connection: 1 })
  client.destroy()
  await proxy.close()
  server.close()
})
