import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../core/test/support/expectLogs.ts"
import { statementsOf } from "../test/support/HostTrials.ts"
import { type HostShop, hosts } from "../test/support/hosts.ts"
import { pausesOf, randomOf } from "../test/support/random.ts"
import type { SqlTransaction } from "./sql/SqlTransaction.ts"

expectLogs(clearText)

const seeds = Number(process.env.HOST_SEEDS ?? 20)
const firstSeed = Number(process.env.HOST_SEED ?? 1)

/** Its statements take time. */
const slowly = (transaction: object, pause: () => Promise<void>): SqlTransaction => {
  const { identity, rows } = statementsOf(transaction)
  const slow: SqlTransaction["rows"] = async (statement, values) => {
    await pause()
    return rows(statement, values)
  }
  return { identity, rows: slow, run: slow }
}

const settle = (call: Promise<unknown>) =>
  call.then(
    () => "done" as const,
    () => "refused" as const
  )

/**
 * Ends transactions while calls may still run in them, whose next one is on the same connection: an order is there if its call
 * succeeded and its transaction was committed, and its key is used then. Returns how rounds ended.
 */
const endEarly = async ({ library, petId, petstore }: HostShop, isOfClient: boolean): Promise<ReadonlySet<string>> => {
  await petstore.inventory.set(petId, 100_000)
  const outcomes = new Set<string>()
  let expected = 0
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const random = randomOf(seed)
    const pause = pausesOf(random, 3)
    const placeIn = (transaction: object, key: number | "next") =>
      settle(
        petstore.orders.place({ petId }, { transaction: slowly(transaction, pause), idempotencyKey: `${key}-${seed}` })
      )
    const host = await library.begin()
    const calls = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, key) => placeIn(host.transaction, key))
    // In some rounds all calls have ended, in others only the first has begun, however slow the machine is.
    if (seed % 10 === 0) await Promise.all(calls)
    else if (seed % 10 !== 5) await sleep(random() * 25)
    await pause()
    const commits = random() < 0.7
    const ended = await settle(commits ? host.commit() : host.rollback())
    if (!commits) assert.strictEqual(ended, "done", `seed ${seed}`)
    await pause()
    const next = await library.begin()
    const last = placeIn(next.transaction, "next")
    const placed = await Promise.all(calls)
    const kept = placed.map((outcome) => outcome === "done" && commits && ended === "done")
    // A client has the same identity in both transactions: a call behind those of the last one may be refused with them.
    if (!isOfClient) assert.strictEqual(await last, "done", `seed ${seed}`)
    const isPlaced = (await last) === "done"
    assert.strictEqual(await placeIn(next.transaction, 0), "done", `seed ${seed}`)
    await next.commit()
    // Its key was used if the call was kept.
    expected +=
      new Set(["0", ...kept.flatMap((isKept, key) => (isKept ? [String(key)] : []))]).size + (isPlaced ? 1 : 0)
    outcomes.add(`${commits} ${ended} ${placed.includes("done")}`)
    assert.strictEqual((await petstore.inventory.get(petId)).reserved, expected, `seed ${seed}`)
  }
  let orders = 0
  for await (const _ of petstore.orders.all({ petId })) orders++
  assert.strictEqual(orders, expected)
  return outcomes
}

// Not postgres.js: a statement that reaches it as its transaction ends may get no response at all, so that calls wait for
// their timeouts. Calls in transactions of node:sqlite are done at once.
const isTimed = /^(?:pg|Kysely|Drizzle) on/

for (const { name, open } of hosts()) {
  if (!isTimed.test(name)) continue
  describe(`given ${name}, whose statements take random times`, () => {
    it.live("when orders are not awaited, then each exists if it succeeded and its transaction committed", () =>
      Effect.gen(function* () {
        const shop = yield* open
        const outcomes = yield* Effect.promise(() => endEarly(shop, name.startsWith("pg")))
        // A call on SQLite is one statement, and nothing comes between.
        assert.isAtLeast(outcomes.size, name.endsWith("SQLite") ? 2 : 3)
        yield* checkInvariants(shop.petstore)
      })
    )
  })
}
