import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Principal } from "../domain/access/Principal.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Storage } from "../ports/Storage.ts"
import { orders } from "../tables/index.ts"
import { createPetstore } from "./createPetstore.ts"
import { Petstore } from "./EffectPetstore.ts"
import type { PetstoreUser } from "./PetstoreUser.ts"

const owners = Effect.map(
  Effect.flatMap(Storage, ({ scan }) => scan(orders, [], 10)),
  (all) => all.map(({ owner }) => owner)
)

describe("petstore.as", () => {
  it("given what is no user, then it throws a TypeError that says what to pass", async () => {
    const petstore = await createPetstore()
    const cases: ReadonlyArray<readonly [unknown, RegExp]> = [
      [undefined, /petstore\.as takes an object of options, such as { user: "ada" }, not undefined/],
      [{}, /The option user takes a name of 1 to 200 characters, not undefined/],
      [{ user: "" }, /The option user takes a name of 1 to 200 characters, not ""/],
      [{ user: "x".repeat(201) }, /The option user takes/],
      [{ user: "a\0" }, /The option user takes/],
      [{ user: "\ud800" }, /The option user takes/],
      [{ user: "ada", accountId: 0 }, /The option accountId takes the id of an account, not 0/],
      [{ user: "ada", scopes: [] }, /petstore\.as does not know the option scopes; it takes user, accountId/]
    ]
    for (const [user, message] of cases) assert.throws(() => petstore.as(user as PetstoreUser), message)
    await petstore.close()
  })

  it("given the order of another user, then its record is neither found nor changed", async () => {
    await using petstore = await createPetstore()
    const { id } = await petstore.as({ user: "ada" }).orders.place({})
    const record = await petstore.as({ user: "ada" }).records.update("orders", id, { externalId: "A" })
    const bob = petstore.as({ user: "bob" })
    for (const call of [
      () => bob.records.get("orders", id),
      () => bob.records.update("orders", id, { externalId: null }),
      () => bob.records.getByExternalId("orders", "A")
    ]) {
      assert.strictEqual(await call().catch(({ code }) => code), "not_found")
    }
    assert.deepStrictEqual(await petstore.records.get("orders", id), record)
  })

  it.effect("given users of an account, then they share its orders, as a key of the account does", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      const [ada, bob] = [petstore.as({ user: "ada", accountId: 3 }), petstore.as({ user: "bob", accountId: 3 })]
      const { id } = yield* ada.orders.place({ quantity: 2 })
      assert.strictEqual((yield* bob.orders.get(id)).quantity, 2)
      yield* petstore.as({ user: "ada" }).orders.place({})
      yield* petstore.orders.place({})
      const key = { accountId: 3, actor: "key:7" }
      yield* Effect.provideService(petstore.orders.place({}), Principal, key)
      assert.deepStrictEqual(yield* owners, ["3", "0 ada", undefined, "3"])
      const listed = bob.orders.all({ limit: 1 }).pipe(Stream.map((order) => order.id))
      assert.deepStrictEqual(yield* Stream.runCollect(listed), [1, 4])
      assert.deepStrictEqual(
        (yield* bob.events.list()).items.map(({ subject }) => subject),
        ["orders/1", "orders/4"]
      )
      const page = yield* bob.events.list({ limit: 1 })
      const rest = yield* bob.events.list({ limit: 1, ...(page.next === undefined ? {} : { cursor: page.next }) })
      assert.deepStrictEqual(
        [page, rest].map(({ items }) => items.map(({ subject }) => subject)),
        [["orders/1"], ["orders/4"]]
      )
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )

  it.effect("given a principal of the owner of the store who sees own orders alone, then they see none of old", () =>
    Effect.gen(function* () {
      const { orders } = yield* Petstore
      yield* orders.place({})
      const limited = { accountId: 0, actor: "till", ownOnly: true }
      assert.deepStrictEqual((yield* Effect.provideService(orders.list(), Principal, limited)).items, [])
      const { id } = yield* Effect.provideService(orders.place({}), Principal, limited)
      assert.strictEqual((yield* Effect.provideService(orders.list(), Principal, limited)).items[0]?.id, id)
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )

  it.effect(
    "given the key of a change to somebody else's order, then who sees own orders alone does not get its result",
    () =>
      Effect.gen(function* () {
        const petstore = yield* Petstore
        const { id } = yield* petstore.as({ user: "ada", accountId: 3 }).orders.place({ quantity: 2 })
        const by = (ownOnly: boolean) =>
          Effect.provideService(petstore.orders.update(id, { quantity: 3 }, { idempotencyKey: "k-1" }), Principal, {
            accountId: 4,
            actor: "key:8",
            ownOnly
          })
        assert.strictEqual((yield* by(false)).quantity, 3)
        assert.strictEqual((yield* Effect.flip(by(true))).code, "idempotency_key_reused")
        assert.strictEqual((yield* by(false)).quantity, 3)
      }).pipe(Effect.provide(Petstore.layer(memory())))
  )

  it.effect("given a user, then other methods work as they do for you, with the user in the stock ledger", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      const ada = petstore.as({ user: "ada" })
      const { id: categoryId } = yield* ada.categories.create({ name: "Cats" })
      const { id } = yield* ada.pets.create({ name: "Tom", categoryId })
      assert.deepStrictEqual(
        (yield* petstore.inventory.movements(id)).items.map(({ actor }) => actor),
        ["ada"]
      )
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )
})
