import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Petstore, type Rules, refusal, type StorageAdapter } from "@petstore/core"
import * as Effect from "effect/Effect"
import { withLockChecks } from "../../../../laboratory/locks/withLockChecks.ts"
import { openDatabase } from "../../test/support/host.ts"
import { temporaryFileInMemory } from "../../test/support/temporary.ts"
import { sqlite } from "./sqlite.ts"

class TooMany extends refusal("too_many", ({ limit }: { readonly limit: number }) => `Order at most ${limit}.`) {}

const rules: Rules = {
  order: ({ order: { quantity = 0 } }) => {
    if (quantity === 13) throw new Error("Nobody counts that far")
    return quantity > 2 ? new TooMany({ limit: 2 }) : undefined
  }
}

const open = (storage: StorageAdapter) =>
  Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: withLockChecks(storage), rules })),
    (petstore) => Effect.promise(() => petstore.close())
  )

const stocked = async ({ categories, inventory, pets }: Petstore): Promise<number> => {
  const { id: categoryId } = await categories.create({ name: "Dogs" })
  const { id } = await pets.create({ name: "Rex", categoryId })
  await inventory.set(id, 100)
  return id
}

const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "ok",
    (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : String(error))
  )

describe("given rules of a host on SQLite", () => {
  it.effect("when orders share a commit, then the rejected ones have no effect, and the others are complete", () =>
    Effect.gen(function* () {
      const petstore = yield* open(sqlite(yield* temporaryFileInMemory))
      yield* Effect.promise(async () => {
        const petId = await stocked(petstore)
        const quantities = Array.from({ length: 40 }, (_, index) => [1, 3, 2, 13][index % 4] ?? 1)
        const calls = quantities.map((quantity) => petstore.orders.place({ petId, quantity }))
        const expected = quantities.map((quantity) =>
          quantity === 13 ? "internal_error" : quantity > 2 ? "too_many" : "ok"
        )
        assert.deepStrictEqual(await Promise.all(calls.map(outcome)), expected)
        assert.strictEqual((await petstore.inventory.get(petId)).reserved, 30)
        assert.strictEqual((await petstore.orders.list({ limit: 100 })).items.length, 20)
        assert.isTrue((await petstore.verify()).ok)
      })
    })
  )

  it.effect("when one rejects in a transaction of the host, then the host goes on and commits without it", () =>
    Effect.gen(function* () {
      const db = yield* openDatabase(yield* temporaryFileInMemory)
      const petstore = yield* open(sqlite({ database: db }))
      yield* Effect.promise(async () => {
        const petId = await stocked(petstore)
        db.exec("CREATE TABLE shop_baskets (petId INTEGER, quantity INTEGER)")
        db.exec("BEGIN IMMEDIATE")
        db.exec(`INSERT INTO shop_baskets VALUES (${petId}, 3)`)
        const refused = await petstore.orders.place({ petId, quantity: 3 }, { transaction: db }).catch((error) => error)
        assert.instanceOf(refused, TooMany)
        await petstore.orders.place({ petId, quantity: 2 }, { transaction: db })
        db.exec("COMMIT")
        assert.strictEqual((await petstore.inventory.get(petId)).reserved, 2)
        assert.strictEqual(db.prepare("SELECT quantity FROM shop_baskets").get()?.quantity, 3)
        assert.isTrue((await petstore.verify()).ok)
      })
    })
  )
})
