import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { Principal } from "../../domain/access/Principal.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage } from "../../ports/Storage.ts"
import { movementsOf } from "../../tables/index.ts"

const fresh = <A, E>(body: Effect.Effect<A, E, Petstore | Storage>) =>
  Effect.suspend(() => Effect.provide(body, Petstore.layer(memory())))

/** Pet 1 of category 1, with five units. */
const petOfFive = Effect.gen(function* () {
  const { categories, inventory, pets } = yield* Petstore
  yield* categories.create({ name: "Dogs" })
  yield* pets.create({ name: "Rex", categoryId: 1 })
  yield* inventory.set(1, 5)
})

const ledger = Effect.flatMap(Storage, ({ select }) => select(movementsOf, { petId: 1, after: 0 }, 100))

describe("given commands at a time of the clock", () => {
  it.effect("then their movements and events have this time", () =>
    fresh(
      Effect.gen(function* () {
        yield* petOfFive
        const { events, select } = yield* Storage
        const before = (yield* ledger).length
        const last = yield* events.latest
        yield* TestClock.adjust("1 hour")
        const { inventory, orders, pets } = yield* Petstore
        const { id } = yield* orders.place({ petId: 1 })
        yield* orders.update(id, { quantity: 2 })
        yield* orders.cancel(id)
        yield* inventory.set(1, 6)
        yield* pets.create({ name: "Tom", categoryId: 1 })
        const others = yield* select(movementsOf, { petId: 2, after: 0 }, 10)
        const movements = [...(yield* ledger).slice(before), ...others]
        assert.deepStrictEqual(
          movements.map(({ kind }) => kind),
          ["reserved", "reserved", "cancelled", "set", "initial"]
        )
        const later = yield* events.scan(last, 100)
        assert.isAbove(later.length, movements.length)
        const times = [...movements.map(({ at }) => at), ...later.map(({ timestamp }) => timestamp)]
        assert.deepStrictEqual([...new Set(times)], ["1970-01-01T01:00:00.000Z"])
      })
    )
  )
})

describe("given commands of several people", () => {
  it.effect("then each movement names who did it", () =>
    fresh(
      Effect.gen(function* () {
        yield* petOfFive
        const { orders } = yield* Petstore
        const as = (keyId: number) => Effect.provideService(Principal, { accountId: 1, actor: `key:${keyId}` })
        const { id } = yield* orders.place({ petId: 1, quantity: 2 }).pipe(as(7))
        yield* orders.update(id, { quantity: 1 }).pipe(as(8))
        yield* orders.cancel(id)
        assert.deepStrictEqual(
          (yield* ledger).map(({ actor, kind }) => [kind, actor]),
          [
            ["initial", "owner"],
            ["set", "owner"],
            ["reserved", "key:7"],
            ["unreserved", "key:8"],
            ["cancelled", "owner"]
          ]
        )
      })
    )
  )
})
