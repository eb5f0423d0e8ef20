import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { postgres } from "@petstore/adapters/postgres"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type Petstore } from "@petstore/core"
import { webhookSender } from "@petstore/http/webhooks"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { assert, describe, it, onTestFinished } from "vitest"
import { bundledProgram, compileCache } from "../../../adapters/test/support/bundledProgram.ts"
import { freePort } from "../../../adapters/test/support/freePort.ts"
import { testDatabase } from "../../../adapters/test/support/postgres/testDatabase.ts"
import { clearText, expectLogs } from "../../../core/test/support/expectLogs.ts"

expectLogs(clearText)

const sourceOf = (name: string): string => fileURLToPath(new URL(`../../test/programs/${name}.ts`, import.meta.url))

/** A process of a test, and the lines that it has written. */
class Program {
  readonly lines: Array<string> = []
  private readonly child: ChildProcess
  private hasEnded = false
  private onChange = () => {}

  private constructor(child: ChildProcess) {
    this.child = child
    let rest = ""
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      this.lines.push(...lines)
      this.onChange()
    })
    this.child.once("exit", () => {
      this.hasEnded = true
      this.onChange()
    })
    onTestFinished(() => this.kill())
  }

  static async start(name: string, env: Readonly<Record<string, string>>): Promise<Program> {
    const child = spawn(process.execPath, [await bundledProgram(sourceOf(name))], {
      env: { ...process.env, ...(await compileCache()), ...env },
      stdio: ["pipe", "pipe", "inherit"]
    })
    return new Program(child)
  }

  /** Waits until it has written this many lines that begin with a word. */
  async wrote(word: string, count = 1): Promise<ReadonlyArray<string>> {
    for (;;) {
      const found = this.lines.filter((line) => line.startsWith(word))
      if (found.length >= count) return found
      if (this.hasEnded) throw new Error(`It ended before it wrote "${word}": ${this.lines}`)
      await new Promise<void>((resolve) => {
        this.onChange = resolve
      })
    }
  }

  /** Kills it, as the system does when memory is short. */
  async kill(): Promise<void> {
    if (this.hasEnded) return
    const ended = new Promise((resolve) => this.child.once("exit", resolve))
    this.child.kill("SIGKILL")
    await ended
  }
}

/** A new SQLite file. */
const sqliteFile = async () => {
  const folder = await mkdtemp(join(tmpdir(), "petstore-webhooks-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, "shop.db")
}

/** The URL of a new database of PostgreSQL. */
const postgresDatabase = async () => {
  const scope = Effect.runSync(Scope.make())
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.runPromise(Scope.provide(testDatabase, scope))
}

const stores = {
  SQLite: { place: sqliteFile, adapter: (file: string) => sqlite(file) },
  PostgreSQL: { place: postgresDatabase, adapter: (url: string) => postgres({ url }) }
} as const

/** A store with an endpoint, opened without sending. */
const shop = async (kind: keyof typeof stores = "SQLite", host = "receiver.test") => {
  const { adapter, place } = stores[kind]
  const database = await place()
  const petstore = await createPetstore({ storage: adapter(database) })
  onTestFinished(() => petstore.close())
  const port = await freePort()
  const sender = await createPetstore({
    storage: adapter(database),
    webhooks: webhookSender({ allowLoopback: true })
  })
  const { id, secret } = await sender.webhooks.create({ url: `http://${host}:${port}/`, concurrency: 50 })
  await sender.close()
  return { database, petstore, port: String(port), secret, webhookId: id }
}

/** The ids of the events after the endpoint was created. */
const eventIds = async (petstore: Petstore): Promise<ReadonlyArray<string>> => {
  const ids = []
  for await (const { id, type } of petstore.events.all()) if (!type.startsWith("webhook.")) ids.push(id)
  return ids
}

/** Waits until every delivery to an endpoint has this status, and checks that each event has one. */
const settled = async (petstore: Petstore, webhookId: number, attempts: (id: string) => number): Promise<void> => {
  const ids = await eventIds(petstore)
  for (;;) {
    const deliveries = []
    for await (const delivery of petstore.webhooks.allDeliveries(webhookId)) deliveries.push(delivery)
    if (deliveries.length < ids.length || deliveries.some(({ status }) => status === "pending")) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      continue
    }
    assert.deepStrictEqual(
      deliveries.map(({ attempts, eventId, status }) => ({ attempts, eventId, status })),
      ids.map((eventId) => ({ attempts: attempts(eventId), eventId, status: "delivered" }))
    )
    assert.isTrue((await petstore.verify()).ok)
    return
  }
}

describe("given a server that delivers webhooks, and a receiver, each in a process of its own", () => {
  it("when the receiver is killed and started again, then what it missed arrives, and nothing twice", async () => {
    const { database, petstore, port, secret, webhookId } = await shop()
    const first = await Program.start("webhookReceiver", { PORT: port, SECRET: secret })
    await first.wrote("listening")
    const server = await Program.start("webhookServer", { DATABASE: database })
    await server.wrote("open")
    await petstore.categories.create({ name: "Cats" })
    await first.wrote("got")
    // Until it is recorded, the end of the receiver would make it arrive again.
    await settled(petstore, webhookId, () => 1)
    await first.kill()

    await petstore.categories.create({ name: "Dogs" })
    await petstore.categories.create({ name: "Birds" })
    const failed = async () =>
      (await petstore.webhooks.deliveries(webhookId)).items.filter(({ failure }) => failure === "connection")
    while ((await failed()).length < 2) await new Promise((resolve) => setTimeout(resolve, 20))

    const second = await Program.start("webhookReceiver", { PORT: port, SECRET: secret })
    const got = [...(await first.wrote("got")), ...(await second.wrote("got", 2))]
    const ids = await eventIds(petstore)
    assert.sameMembers(
      got,
      ids.map((id) => `got ${id}`)
    )
    await settled(petstore, webhookId, (id) => (id === ids[0] ? 1 : 2))
    assert.lengthOf(
      second.lines.filter((line) => line.startsWith("got")),
      2
    )
  })

  it("when three servers share the work, then each event arrives once", async () => {
    const { database, petstore, port, secret, webhookId } = await shop()
    const receiver = await Program.start("webhookReceiver", { PORT: port, SECRET: secret })
    const servers = await Promise.all([1, 2, 3].map(() => Program.start("webhookServer", { DATABASE: database })))
    await Promise.all([receiver.wrote("listening"), ...servers.map((server) => server.wrote("open"))])
    for (let count = 0; count < 100; count++) await petstore.categories.create({ name: `Category ${count}` })
    await receiver.wrote("got", 100)
    await settled(petstore, webhookId, () => 1)
    const ids = await eventIds(petstore)
    assert.sameMembers(
      receiver.lines.slice(1),
      ids.map((id) => `got ${id}`)
    )
  })
})

for (const kind of ["SQLite", "PostgreSQL"] as const) {
  describe(`given a server that delivers the webhooks of a store on ${kind}`, () => {
    it("when the server is killed after a webhook arrived and before that is recorded, then it arrives again with its id", async () => {
      const { database, petstore, port, secret, webhookId } = await shop(kind)
      const holding = await Program.start("webhookReceiver", { HOLD: "1", PORT: port, SECRET: secret })
      await holding.wrote("listening")
      const first = await Program.start("webhookServer", { DATABASE: database })
      await first.wrote("open")
      await petstore.categories.create({ name: "Cats" })
      const arrived = await holding.wrote("got")
      await first.kill()
      await holding.kill()

      const receiver = await Program.start("webhookReceiver", { PORT: port, SECRET: secret })
      await receiver.wrote("listening")
      // After the lease of the server that was killed.
      await Program.start("webhookServer", { CLOCK_AHEAD: "120000", DATABASE: database })
      assert.deepStrictEqual(await receiver.wrote("got"), arrived)
      await settled(petstore, webhookId, () => 1)
    })

    it("when the server is killed before it sends what it has claimed, then it arrives once", async () => {
      const { database, petstore, port, secret, webhookId } = await shop(kind)
      const receiver = await Program.start("webhookReceiver", { PORT: port, SECRET: secret })
      await receiver.wrote("listening")
      const first = await Program.start("webhookServer", { DATABASE: database, NO_DNS: "1" })
      await first.wrote("open")
      await petstore.categories.create({ name: "Cats" })
      await first.wrote("resolving")
      await first.kill()
      assert.deepStrictEqual(receiver.lines, ["listening"])

      await Program.start("webhookServer", { CLOCK_AHEAD: "120000", DATABASE: database })
      const [id] = await eventIds(petstore)
      assert.deepStrictEqual(await receiver.wrote("got"), [`got ${id}`])
      await settled(petstore, webhookId, () => 1)
    })

    it("when the server is killed after a delivery was recorded, then it does not arrive again", async () => {
      const { database, petstore, port, secret, webhookId } = await shop(kind)
      const receiver = await Program.start("webhookReceiver", { PORT: port, SECRET: secret })
      await receiver.wrote("listening")
      const first = await Program.start("webhookServer", { DATABASE: database })
      await first.wrote("open")
      await petstore.categories.create({ name: "Cats" })
      await settled(petstore, webhookId, () => 1)
      await first.kill()

      const second = await Program.start("webhookServer", { CLOCK_AHEAD: "120000", DATABASE: database })
      await second.wrote("open")
      await petstore.categories.create({ name: "Dogs" })
      const ids = await eventIds(petstore)
      assert.deepStrictEqual(
        await receiver.wrote("got", 2),
        ids.map((id) => `got ${id}`)
      )
      await settled(petstore, webhookId, () => 1)
      assert.lengthOf(receiver.lines, 3)
    })
  })
}
