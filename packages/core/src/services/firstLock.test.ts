import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { memory } from "../memory/MemoryStorage.ts"
import { Petstore } from "../petstore/EffectPetstore.ts"
import type { CommandName } from "../ports/CommandName.ts"
import type { FirstLock } from "../ports/FirstLock.ts"
import { Storage } from "../ports/Storage.ts"

/** A store that notes the row that each command says it locks first, and the row that it does lock first. */
const noting = () => {
  const seen: Array<{ readonly command: CommandName; readonly first: FirstLock | undefined; locked?: FirstLock }> = []
  const noted = (table: FirstLock["table"], id: number) =>
    Effect.sync(() => {
      const now = seen.at(-1)
      if (now !== undefined) now.locked ??= { table, id }
    })
  const layer = Layer.effect(
    Storage,
    Effect.map(Storage, (store) => ({
      ...store,
      transact: <A, E, R>(body: Effect.Effect<A, E, R>, command?: CommandName, first?: FirstLock) => {
        if (command !== undefined) seen.push({ command, first })
        return store.transact(body, command, first)
      },
      pets: {
        ...store.pets,
        lock: (id: number) => Effect.andThen(noted("pets", id), store.pets.lock(id))
      },
      orders: {
        ...store.orders,
        lock: (id: number) => Effect.andThen(noted("orders", id), store.orders.lock(id))
      }
    }))
  ).pipe(Layer.provide(memory().layer))
  return { seen, layer: Petstore.layer({ name: "noting", layer }) }
}

describe("given a store that may lock the first row of a command ahead", () => {
  for (const [situation, withSpan] of [
    ["without a span", <A, E, R>(calls: Effect.Effect<A, E, R>) => calls],
    ["within a span", <A, E, R>(calls: Effect.Effect<A, E, R>) => Effect.withSpan(calls, "checkout")]
  ] as const) {
    it.effect(`when orders change ${situation}, then it gets the row that each command locks first`, () =>
      Effect.suspend(() => {
        const { layer, seen } = noting()
        return Effect.gen(function* () {
          const { categories, orders, pets } = yield* Petstore
          const { id: categoryId } = yield* categories.create({ name: "Dogs" })
          const { id: petId } = yield* pets.create({ name: "Rex", categoryId })
          const pet = { table: "pets", id: petId } as const
          seen.length = 0
          const calls = Effect.gen(function* () {
            const { id } = yield* orders.place({ petId })
            const order = { table: "orders", id } as const
            yield* orders.update(id, { quantity: 1, petId })
            yield* orders.cancel(id)
            yield* orders.place({})
            yield* orders.place({ petId }, { idempotencyKey: "once" })
            return order
          })
          const order = yield* withSpan(calls)
          assert.deepStrictEqual(seen, [
            { command: "orders.place", first: pet, locked: pet },
            { command: "orders.update", first: order, locked: order },
            { command: "orders.cancel", first: order, locked: order },
            { command: "orders.place", first: undefined },
            // It locks the key first.
            { command: "orders.place", first: undefined, locked: pet }
          ])
        }).pipe(Effect.provide(layer))
      })
    )
  }
})
