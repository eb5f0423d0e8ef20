import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import pg from "pg"
import { type Cut, type LostCommit, type TcpProxy, tcpProxy } from "./TcpProxy.ts"
import { query, testDatabase } from "./testDatabase.ts"

interface Setting {
  readonly direct: string
  readonly proxy: TcpProxy
  readonly client: pg.Client
  /** The error with which the connection breaks. */
  readonly broken: Promise<Error>
}

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
  when("when nothing breaks, then statements pass, and connections are counted", async ({ client, proxy }) => {
    const long = "x".repeat(300_000)
    expect((await client.query("SELECT $1::text AS text", [long])).rows[0].text).toBe(long)
    expect([proxy.opened, proxy.links.size]).toEqual([1, 1])
  })

  for (const how of ["end", "reset"] satisfies ReadonlyArray<Cut>) {
    when(`when the proxy cuts it with ${how}, then the client sees the end`, async ({ broken, client, proxy }) => {
      const waiting = client.query("SELECT pg_sleep(60)").catch((error: Error) => error.message)
      expect(proxy.cut(how)).toBe(1)
      expect((await broken).message).toMatch(how === "reset" ? "ECONNRESET" : "terminated unexpectedly")
      expect(await waiting).toMatch(/ECONNRESET|terminated/)
    })
  }

  when("when the proxy refuses connections, then a new one fails until it accepts again", async (setting) => {
    const { direct, proxy } = setting
    proxy.refuse()
    await setting.broken
    await expect(query(proxy.url(direct), "SELECT 1")).rejects.toThrow(/ECONNRESET|terminated/)
    proxy.accept()
    expect(await query(proxy.url(direct), "SELECT 1 AS one")).toEqual([{ one: 1 }])
    expect(proxy.opened).toBe(3)
  })

  when("when the proxy stalls, then a statement waits until it resumes", async ({ client, proxy }) => {
    proxy.stall()
    let isDone = false
    const waiting = client.query("SELECT 1").then(() => {
      isDone = true
    })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(isDone).toBe(false)
    proxy.resume()
    await waiting
  })

  when("when the proxy delays, then each round trip takes twice that long", async ({ client, proxy }) => {
    proxy.delay = 50
    const start = performance.now()
    await client.query("SELECT 1")
    // Each of the two timers may end up to 1 ms early.
    expect(performance.now() - start).toBeGreaterThanOrEqual(98)
  })

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
})
