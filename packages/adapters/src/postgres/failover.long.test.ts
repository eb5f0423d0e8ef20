import { setTimeout as sleep } from "node:timers/promises"
import { createPetstore, type Petstore } from "@petstore/core"
import { runtimeOf } from "@petstore/core/effect"
import { Storage } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Orders } from "../../test/support/Orders.ts"
import { query, ReplicatedServers } from "../../test/support/postgres.ts"
import { postgres } from "./postgres.ts"

const units = 1_000_000

/** Milliseconds that a call may wait for the database, which is shorter than by default so that the tests are. */
const timeout = 4_000

/** Milliseconds within which every call must have an outcome, whatever has become of the server. */
const limit = 2 * timeout + 2_000

let servers: ReplicatedServers
let petstore: Petstore
let petId: number
let seen: Array<number>

const isReady = (): Promise<boolean> => {
  const { cachedContext } = runtimeOf(petstore)
  if (cachedContext === undefined) throw new Error("The petstore is closed")
  return Effect.runPromise(Effect.isSuccess(Context.get(cachedContext, Storage).ready))
}

/** Waits until the store says that it is ready, or that it is not. Returns the longest that it took to say either. */
const untilReady = async (wanted: boolean): Promise<number> => {
  for (let longest = 0; ; await sleep(50)) {
    const start = performance.now()
    const ready = await isReady()
    longest = Math.max(longest, performance.now() - start)
    if (ready === wanted) return longest
  }
}

beforeEach(async () => {
  servers = await ReplicatedServers.start(2)
  petstore = await createPetstore({ storage: postgres({ url: servers.url, timeout, connectTimeout: 2_000 }) })
  const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
  petId = (await petstore.pets.create({ name: "Rex", categoryId })).id
  await petstore.inventory.set(petId, units)
  seen = []
  await petstore.events.subscribe(({ seq }) => void seen.push(seq), { after: 0, onError: () => {} })
})
afterEach(async () => {
  await petstore.close()
  await servers.remove()
})

/** Everything acknowledged is stored, each key had one effect, and the subscriber has seen every event once, in order. */
const expectNothingLost = async (orders: Orders): Promise<void> => {
  const stored: Array<number> = []
  for await (const { id } of petstore.orders.all({ limit: 100 })) stored.push(id)
  expect(stored).toEqual([...orders.acknowledged.values()].sort((one, other) => one - other))
  expect((await petstore.inventory.get(petId)).available).toBe(units - stored.length)
  const { checks } = await petstore.verify()
  expect(checks.filter(({ violations }) => violations > 0)).toEqual([])
  const latest = await petstore.events.latest()
  while ((seen.at(-1) ?? 0) < latest) await sleep(10)
  expect(seen).toEqual(Array.from({ length: latest }, (_, index) => index + 1))
}

describe("given a petstore with the hosts of a primary and two standbys, and callers that order and retry", () => {
  it("when the primary is killed and a standby promoted, then the callers continue there, and nothing is lost", async () => {
    const orders = new Orders(petstore, petId, 8)
    await orders.more(50)
    const killed = servers.primary
    await killed.stop("kill")
    await untilReady(false)
    await servers.promote()
    await untilReady(true)
    await orders.more(50)
    await orders.settle()
    await expectNothingLost(orders)
    expect(orders.longest).toBeLessThan(limit)
  })

  it("when the primary hangs and a standby is promoted, then no call hangs with it, and nothing is lost", async () => {
    const orders = new Orders(petstore, petId, 8)
    await orders.more(50)
    const hanging = servers.primary
    hanging.freeze()
    expect(await untilReady(false)).toBeLessThan(3_000)
    await servers.promote()
    await untilReady(true)
    await orders.more(50)
    // Its connections come to life again; nobody confirms what it commits.
    hanging.thaw()
    await orders.more(50)
    await orders.settle()
    await hanging.stop("kill")
    await expectNothingLost(orders)
    expect(orders.longest).toBeLessThan(limit)
  })

  it("when the primary is shut down for a planned switch and returns as a standby, then the callers continue", async () => {
    const orders = new Orders(petstore, petId, 8)
    await orders.more(50)
    const [first] = servers.servers
    await first?.stop("fast")
    await servers.promote()
    if (first !== undefined) await servers.rejoin(first)
    await servers.followed(2)
    await orders.more(50)
    await orders.settle()
    await expectNothingLost(orders)
    expect(orders.longest).toBeLessThan(limit)
  })

  it("when all standbys are lost, then calls end with an unknown outcome, and all heals when one returns", async () => {
    const orders = new Orders(petstore, petId, 8)
    await orders.more(50)
    const lost = servers.standbys
    for (const standby of lost) await standby.stop("kill")
    expect(await untilReady(false)).toBeLessThan(3_000)
    const acknowledged = orders.acknowledged.size
    while (!orders.codes.has("commit_unknown")) await sleep(50)
    // Nobody else has what is committed now.
    expect(orders.acknowledged.size).toBe(acknowledged)
    for (const standby of lost) await standby.start()
    await untilReady(true)
    await orders.more(50)
    await orders.settle()
    await expectNothingLost(orders)
    expect(orders.longest).toBeLessThan(limit)
    expect(
      [...orders.codes].filter((code) => !["commit_unknown", "storage_busy", "idempotency_in_progress"].includes(code))
    ).toEqual([])
  })

  it("when an operator cancels a commit that waits for a standby, then it is acknowledged only once a standby has it", async () => {
    for (const standby of servers.standbys) await standby.stop("kill")
    const place = () => petstore.orders.place({ petId, quantity: 1 }, { idempotencyKey: "once" })
    const code = place().catch(({ code }) => code)
    const waiting = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    while ((await query(servers.primary.url(), waiting)).length === 0) await sleep(20)
    expect(await code).toBe("commit_unknown")
    // The order is stored on the primary alone: a repetition must not say that it is safe.
    const retried = place().then(
      () => "acknowledged",
      ({ code }) => code
    )
    expect(await retried).not.toBe("acknowledged")
    for (const standby of servers.standbys) await standby.start()
    await servers.followed(2)
    const { id } = await place()
    expect((await petstore.orders.list()).items.map((order) => order.id)).toEqual([id])
  })
})
