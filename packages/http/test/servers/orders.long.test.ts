import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { idOf, orderIds, requester, stocked, verified } from "../support/groupTraffic.ts"
import { groupAdminKey, sharedStorages, startServers } from "../support/ServerGroup.ts"
import { sendTo } from "../support/TestServer.ts"

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

  it.live(
    "given 64 clients whose baskets have the same pets in opposite orders, then all end, and what there is is sold",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const group = yield* startServers({ storage: yield* storage, count: 4 })
          const units = 40
          const pets = yield* Effect.forEach(["Rex", "Tom", "Leo", "Max"], (name) => stocked(group, name, units))
          const basketOf = (client: number) => {
            const lines = pets.filter((_, place) => place !== client % 5).map((petId) => ({ petId }))
            return client % 2 === 0 ? lines : lines.toReversed()
          }
          const results = (yield* Effect.forEach(
            Array.from({ length: clients }, (_, client) => client),
            (client) =>
              // Not repeated: a client sees it if its basket was given up for another one.
              Effect.forEach([1, 2, 3], (turn) =>
                sendTo(`${group.url}/store/orders/batch`, "POST", {
                  body: { orders: basketOf(client + turn) },
                  key: groupAdminKey
                })
              ),
            { concurrency: "unbounded" }
          )).flat()
          const placed = results.flatMap(({ body, status }) =>
            status === 201 ? (body as ReadonlyArray<{ readonly id: number; readonly petId: number }>) : []
          )
          const refusals = results.filter(({ status }) => status !== 201)
          const codes = refusals.map(({ body, status }) => `${status} ${(body as { readonly code: string }).code}`)
          assert.deepStrictEqual([...new Set(codes)], ["409 insufficient_stock"])
          for (const pet of pets) {
            const sold = placed.filter(({ petId }) => petId === pet).map(({ id }) => id)
            assert.isAtMost(sold.length, units)
            assert.sameMembers([...(yield* orderIds(group, pet))], sold)
          }
          // A basket of three or four pets is refused when one of them is sold out: the last units of the others may remain.
          assert.isAtLeast(placed.length, 3 * units)
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
