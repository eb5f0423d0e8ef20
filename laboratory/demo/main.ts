import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Lab } from "../Lab.ts"
import { Client } from "./Client.ts"
import { petstore, type Server, serve } from "./command.ts"
import { type Input, writeInput } from "./input.ts"
import { type Placed, placeOrders } from "./orders.ts"

const units = 3
const stocked = 100
const orders = 1_000
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

const idsOf = async (items: AsyncIterable<unknown>): Promise<ReadonlyArray<number>> => {
  const ids: Array<number> = []
  for await (const item of items) {
    assert.ok(typeof item === "object" && item !== null && "id" in item && typeof item.id === "number")
    assert.ok(item.id > (ids.at(-1) ?? 0), "lists are in ascending id")
    ids.push(item.id)
  }
  return ids
}

const walkPages = (client: Client, expected: number): Promise<ReadonlyArray<number>> =>
  step("walk", async () => {
    const ids = await idsOf(client.all("/pets?limit=100"))
    assert.equal(ids.length, expected, "the pages hold every pet once")
    return [ids, `${ids.length} pets on ${Math.ceil(ids.length / 100)} pages of GET /pets`]
  })

const stockPets = (client: Client, ids: ReadonlyArray<number>): Promise<ReadonlyArray<number>> =>
  step("stock", async () => {
    const pets = Array.from({ length: stocked }, (_, at) => ids[Math.floor((at * ids.length) / stocked)] ?? 0)
    for (const pet of pets) {
      const { status } = await client.send("PATCH", `/inventory/${pet}`, { quantity: units })
      assert.equal(status, 200)
    }
    return [pets, `${pets.length} pets set to ${units} units each`]
  })

const placeThroughKill = (
  client: Client,
  pets: ReadonlyArray<number>,
  killAndRestart: () => Promise<void>
): Promise<ReadonlyArray<Placed>> =>
  step("orders", async () => {
    const half = (stocked * units) / 2
    let restarted: Promise<void> | undefined
    const outcome = await placeOrders(client, pets, orders, clients, (acknowledged) => {
      if (acknowledged === half) restarted = killAndRestart()
    })
    assert.ok(restarted !== undefined, "the server was killed in the middle")
    await restarted
    const { placed, refused, replayed } = outcome
    assert.equal(placed.length + refused, orders, "every order got a response in the end")
    assert.equal(placed.length, stocked * units, "every unit was sold, and none twice")
    return [
      placed,
      `${orders} orders from ${clients} clients at once: ${placed.length} placed and completed, ${refused} rejected as sold out; ` +
        `requests were sent again ${client.retries} times after kill -9, and ${replayed} orders turned out to be placed already`
    ]
  })

const checkOrders = (client: Client, pets: ReadonlyArray<number>, placed: ReadonlyArray<Placed>): Promise<void> =>
  step("check", async () => {
    const found = new Map<number, unknown>()
    for await (const order of client.all("/store/orders?limit=100")) {
      assert.ok(typeof order === "object" && order !== null && "id" in order && typeof order.id === "number")
      found.set(order.id, { ...order, shipDate: undefined })
    }
    for (const { complete, id, petId } of placed) {
      assert.deepEqual(found.get(id), { id, petId, quantity: 1, complete, shipDate: undefined }, `order ${id} is there`)
    }
    assert.equal(found.size, placed.length, "there is no order that nobody placed")
    for (const pet of pets) {
      const sold = placed.filter(({ petId }) => petId === pet).length
      assert.ok(sold <= units, `pet ${pet} was sold ${sold} times`)
      const { body } = await client.send("GET", `/inventory/${pet}`)
      const expected = { petId: pet, quantity: units - sold, status: "sold", reserved: 0, available: units - sold }
      assert.deepEqual(body, expected)
    }
    return [undefined, `every acknowledged order is there and complete, and no pet was sold more than ${units} times`]
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

const runStory = async (folder: string): Promise<void> => {
  const storage = ["--storage", `sqlite:${join(folder, "petstore.db")}`]
  let server: Server = await step("start", async () => {
    const started = await serve("--port", "0", ...storage)
    return [started, `${started.url} on a new SQLite file`]
  })
  const key = (await petstore("keys", "create", "--account", "demo", "--preset", "write", ...storage)).trim()
  const client = new Client(server.url, key)
  const input = writeInput(folder)

  await importInput(input, folder, storage)
  const pets = await stockPets(client, await walkPages(client, input.imported))
  const placed = await placeThroughKill(client, pets, async () => {
    const { port } = new URL(server.url)
    assert.equal(await server.end("SIGKILL"), null)
    server = await serve("--port", port, ...storage)
  })
  await checkOrders(client, pets, placed)
  await verify(storage)
  assert.equal(await server.end("SIGTERM"), 0, "SIGTERM ends the server in order")
}

/**
 * What the petstore promises, shown on generated input: import, paging, orders from many clients at once, kill -9 in the middle of them, a
 * restart, retries with the same idempotency keys, and a proof that nothing was lost or sold twice.
 */
export const ask = async (lab: Lab): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-demo-"))
  try {
    await runStory(folder)
    lab.log("All of it holds.")
  } catch (error) {
    lab.found(`It does not hold: ${error instanceof Error ? error.stack : error}`, "")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
