import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ReplicatedServers } from "./ReplicatedServers.ts"
import { query } from "./testDatabase.ts"

let replicated: ReplicatedServers
beforeAll(async () => {
  replicated = await ReplicatedServers.start(2)
  await query(replicated.primary.url(), "CREATE TABLE orders (id int PRIMARY KEY)")
})
afterAll(() => replicated.remove())

/** Inserts until the connection breaks. Returns what was confirmed. */
const insertUntilLost = async (from: number): Promise<ReadonlyArray<number>> => {
  const client = new pg.Client(replicated.primary.url())
  client.on("error", () => {})
  await client.connect()
  const confirmed: Array<number> = []
  try {
    for (let id = from; ; id++) {
      await client.query("INSERT INTO orders VALUES ($1)", [id])
      confirmed.push(id)
    }
  } catch {
    return confirmed
  }
}

const stored = async (): Promise<ReadonlyArray<number>> =>
  (await query(replicated.primary.url(), "SELECT id FROM orders ORDER BY id")).map(({ id }) => Number(id))

describe("given a primary and two standbys of which one must confirm each commit", () => {
  it("when the primary is killed under load, then a standby has all that was confirmed and takes writes", async () => {
    const [first] = replicated.servers
    const inserting = insertUntilLost(1)
    while ((await stored()).length < 50);
    await replicated.primary.stop("kill")
    const confirmed = await inserting
    await replicated.promote()
    expect(replicated.primary).not.toBe(first)
    expect(await stored()).toEqual(expect.arrayContaining([...confirmed]))
    await replicated.followed(1)
    await query(replicated.primary.url(), "INSERT INTO orders VALUES (0)")
    expect((await stored())[0]).toBe(0)
  })
})
