import { setTimeout as sleep } from "node:timers/promises"
import { createPetstore, type Petstore, PetstoreError } from "@petstore/core"
import * as Effect from "effect/Effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { PostgresServer, query } from "../../../test/support/postgres.ts"
import { durability, postgres } from "../index.ts"

let primary: PostgresServer
let standby: PostgresServer
let petstore: Petstore

const open = (replica?: string) =>
  createPetstore({ storage: postgres({ url: primary.url(), ...(replica === undefined ? {} : { replica }) }) })

/** How many lists of categories the primary has served: the others came from the standby. */
const servedByPrimary = async (): Promise<number> =>
  (await primary.log()).split('FROM "petstore".petstore_categories WHERE NOT deleted AND id >').length - 1

let created = 0
const create = (by: Petstore) => by.categories.create({ name: `Category ${++created}` })

const names = async (): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for await (const { name } of petstore.categories.all()) found.push(name)
  return found
}

const untilServed = async (): Promise<void> => {
  for (;;) {
    const before = await servedByPrimary()
    await petstore.categories.list()
    if ((await servedByPrimary()) === before) return
    await sleep(20)
  }
}

describe("given a standby that serves lists", () => {
  beforeAll(async () => {
    primary = await PostgresServer.create({ settings: { fsync: false, log_statement: "all" } })
    await primary.start()
    standby = await PostgresServer.standbyOf(primary, "replica", { log_statement: "all" })
    await standby.start()
    petstore = await open(standby.url())
    await create(petstore)
    await untilServed()
  })

  afterAll(async () => {
    await petstore?.close()
    await standby?.remove()
    await primary?.remove()
  })

  it("when the doctor reads a URL with both, then it names each one that does not sync", async () => {
    const { host } = new URL(standby.url())
    const url = primary.url().replace(/@([^/]*)/, `@$1,${host}`)
    const fsync = async (value: string): Promise<string | undefined> => {
      await query(primary.url(), `ALTER SYSTEM SET fsync = ${value}`)
      primary.reload()
      while ((await query(primary.url(), "SHOW fsync"))[0]?.fsync !== value) await sleep(5)
      const { findings } = await Effect.runPromise(durability(url))
      return findings.find(({ subject }) => subject === "fsync")?.value
    }
    assert.strictEqual(await fsync("on"), `on, off at ${host}/postgres`)
    const { host: first } = new URL(primary.url())
    assert.strictEqual(await fsync("off"), `off at ${first}/postgres and ${host}/postgres`)
  })

  it("when something was committed, then the next list contains it, whichever server committed it", async () => {
    await using other = await open()
    await untilServed()
    const before = await servedByPrimary()
    for (let n = 0; n < 30; n++) {
      const { name } = await create(n % 2 === 0 ? petstore : other)
      assert.include(await names(), name)
    }
    assert.isBelow((await servedByPrimary()) - before, 30, "the standby has served none of the lists")
  })

  it("when one resource or the events are read, then the primary serves them", async () => {
    const { id } = await create(petstore)
    const before = (await standby.log()).length
    await petstore.categories.get(id)
    await petstore.events.list()
    await petstore.events.latest()
    assert.notInclude((await standby.log()).slice(before), "petstore_")
  })

  it("when the standby is behind, then the primary serves the list", async () => {
    await untilServed()
    await query(standby.url(), "SELECT pg_wal_replay_pause()")
    try {
      const { name } = await create(petstore)
      const start = performance.now()
      assert.include(await names(), name)
      assert.isBelow(performance.now() - start, 2000)
    } finally {
      await query(standby.url(), "SELECT pg_wal_replay_resume()")
    }
    await untilServed()
  })

  it("when the standby hangs, then the primary serves the list", async () => {
    await untilServed()
    const pids = await query(
      standby.url(),
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'petstore' AND pid <> pg_backend_pid()"
    )
    for (const { pid } of pids) process.kill(Number(pid), "SIGSTOP")
    try {
      const { name } = await create(petstore)
      const start = performance.now()
      assert.include(await names(), name)
      assert.isBelow(performance.now() - start, 3000)
    } finally {
      for (const { pid } of pids) process.kill(Number(pid), "SIGCONT")
    }
    await untilServed()
  })

  it("when the standby stops and comes back, then the primary serves lists until the standby does again", async () => {
    await untilServed()
    await standby.stop("kill")
    const { name } = await create(petstore)
    assert.include(await names(), name)
    await standby.start()
    await untilServed()
  })

  it("when the replica of the options is another database, then opening fails", async () => {
    const server = await PostgresServer.create({ settings: { fsync: false } })
    const copy = await server.start().then(() => PostgresServer.standbyOf(server, "other"))
    try {
      await copy.start()
      const failure = await open(copy.url()).then(
        () => undefined,
        (error: unknown) => error
      )
      // Trying again does not help, so that a server that waits for its database must not.
      assert.isTrue(failure instanceof PetstoreError && failure.code === "internal_error")
      assert.match(String(failure), /is no copy of .*: pass the URL of one of its standbys/)
    } finally {
      await copy.remove()
      await server.remove()
    }
  })

  it("when the replica of the options is no URL, then a TypeError says what it takes", () => {
    assert.throws(() => postgres({ url: primary.url(), replica: "standby" }), /The option replica takes a URL/)
  })
})
