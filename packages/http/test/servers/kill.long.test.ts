import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { idOf, orderIds, requester, stocked, verified } from "../support/groupTraffic.ts"
import { type ServerGroup, sharedStorages, startServers } from "../support/ServerGroup.ts"

/** Set it to several numbers, separated by commas, for a long run. */
const seeds = (process.env.PETSTORE_TEST_KILL_SEEDS ?? "1").split(",").map(Number)
const kills = Number(process.env.PETSTORE_TEST_KILLS ?? "4")

/** Mulberry32: the same numbers from 0 to 1 for the same seed. */
const randomOf = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Kills one server after the other at random moments, and starts each again. */
const killSome = ({ replace, servers }: ServerGroup, random: () => number) =>
  Effect.gen(function* () {
    for (let kill = 0; kill < kills; kill++) {
      yield* Effect.sleep(50 + random() * 500)
      yield* replace(Math.floor(random() * servers.length))
    }
  })

describe.each(Object.entries(sharedStorages))("servers on one %s database that are killed", (_, storage) => {
  it.live.each(seeds)(
    "given kills at random moments (seed %d), then acknowledged orders stay, each key has one effect, and clients of others do not hang",
    (seed) =>
      Effect.scoped(
        Effect.gen(function* () {
          const group = yield* startServers({ storage: yield* storage })
          const scarce = yield* stocked(group, "Scarce", 50)
          const plenty = yield* Effect.forEach([1, 2, 3, 4, 5], (n) => stocked(group, `Plenty-${n}`, 1_000_000))
          const killing = yield* Effect.forkChild(killSome(group, randomOf(seed)))
          const send = requester(group)
          const results = (yield* Effect.forEach(
            Array.from({ length: 16 }, (_, client) => client),
            (client) =>
              Effect.gen(function* () {
                const own = []
                for (let turn = 0; killing.pollUnsafe() === undefined; turn++) {
                  const petId = turn % 3 === 0 ? scarce : plenty[(client + turn) % plenty.length]
                  own.push(yield* send("POST", "/store/orders", { petId }, `client-${client}-${turn}`))
                }
                return own
              }),
            { concurrency: "unbounded" }
          )).flat()
          yield* Fiber.join(killing)
          const acknowledged = results.filter(({ status }) => status === 201).map(idOf)
          assert.isAbove(acknowledged.length, 50)
          assert.strictEqual(new Set(acknowledged).size, acknowledged.length)
          assert.isTrue(
            results.every(({ status }) => status === 201 || status === 409),
            JSON.stringify(results.find(({ status }) => status !== 201 && status !== 409))
          )
          // Otherwise no client ever met a server that was gone.
          assert.isTrue(results.some(({ attempts }) => attempts > 1))
          assert.sameMembers([...(yield* orderIds(group))], acknowledged)
          assert.isAtMost((yield* orderIds(group, scarce)).length, 50)
          assert.isBelow(Math.max(...results.map(({ longest }) => longest)), 15_000)
          yield* verified(group)
        })
      )
  )
})
