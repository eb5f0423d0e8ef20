import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { idOf, orderIds, requester, stocked, verified } from "../support/groupTraffic.ts"
import { sharedStorages, startServers } from "../support/ServerGroup.ts"

const clients = 64

describe.each(Object.entries(sharedStorages))("servers on one %s database behind one address", (_, storage) => {
  it.live("given 64 clients that want more units than there are, then exactly as many are sold", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const group = yield* startServers({ storage: yield* storage })
        const units = 100
        const pet = yield* stocked(group, "Rex", units)
        const results = (yield* Effect.forEach(
          Array.from({ length: clients }, (_, client) => client),
          (client) =>
            Effect.forEach([1, 2, 3], (turn) =>
              requester(group)("POST", "/store/orders", { petId: pet }, `client-${client}-${turn}`)
            ),
          { concurrency: "unbounded" }
        )).flat()
        const sold = results.filter(({ status }) => status === 201).map(idOf)
        assert.strictEqual(new Set(sold).size, units)
        const refusals = results.filter(({ status }) => status !== 201)
        assert.isTrue(
          refusals.every(
            ({ body, status }) => status === 409 && `${JSON.stringify(body)}`.includes("insufficient_stock")
          )
        )
        assert.sameMembers([...(yield* orderIds(group, pet))], sold)
        yield* verified(group)
      })
    )
  )

  it.live("given the same key at two servers at once, then there is one effect and one result", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const group = yield* startServers({ storage: yield* storage, count: 2 })
        const pet = yield* stocked(group, "Rex", 1_000)
        const twins = yield* Effect.forEach(
          Array.from({ length: 40 }, (_, index) => `twin-${index}`),
          (key) =>
            Effect.all(
              group.servers.map((server) => requester(server)("POST", "/store/orders", { petId: pet }, key)),
              { concurrency: "unbounded" }
            ),
          { concurrency: 8 }
        )
        for (const results of twins) {
          assert.deepStrictEqual(
            results.map(({ status }) => status),
            [201, 201]
          )
          assert.deepStrictEqual(results[0]?.body, results[1]?.body)
        }
        assert.lengthOf(yield* orderIds(group, pet), 40)
        yield* verified(group)
      })
    )
  )
})
