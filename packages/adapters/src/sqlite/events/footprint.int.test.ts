import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { sqlite } from "../index.ts"

expectLogs(clearText)

const count = 2_000

const sizeOf = (file: string): number => {
  const database = new DatabaseSync(file)
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    return Number(database.prepare("SELECT sum(pgsize) AS bytes FROM dbstat").get()?.bytes)
  } finally {
    database.close()
  }
}

/** Calls for each number up to `count`, many at a time. */
const times = async (call: (index: number) => Promise<unknown>): Promise<void> => {
  for (let first = 0; first < count; first += 200) {
    await Promise.all(Array.from({ length: 200 }, (_, index) => call(first + index)))
  }
}

// Whole pages of tables and indexes. If one of these rises, a file grows faster than it did: know why.
describe("the bytes of a file", () => {
  it.effect("given pets and orders, then each takes no more than two thirds of what it would with plain events", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const grown = yield* Effect.promise(async () => {
        await using petstore = await createPetstore({ storage: sqlite(file) })
        const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
        const bytes = async (call: (index: number) => Promise<unknown>): Promise<number> => {
          const before = sizeOf(file)
          await times(call)
          return (sizeOf(file) - before) / count
        }
        const pet = await bytes((index) => petstore.pets.create({ name: `Cat ${index}`, categoryId }))
        await times((index) => petstore.inventory.set(1 + index, 10))
        return {
          pet,
          placed: await bytes((index) => petstore.orders.place({ petId: 1 + index })),
          completed: await bytes((index) => petstore.orders.complete(1 + index))
        }
      })
      // 621, 549 and 603 with plain events: the two times of a row take 50.
      assert.isAtMost(grown.pet, 410)
      assert.isAtMost(grown.placed, 310)
      assert.isAtMost(grown.completed, 275)
    })
  )

  it.effect("given events of every kind of resource, then all are in a form", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* Effect.promise(async () => {
        await using petstore = await createPetstore({ storage: sqlite(file) })
        const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
        const { id: described } = await petstore.categories.create({ name: "Dogs", description: "They bark" })
        await petstore.categories.update(described, { name: "Hounds" })
        await petstore.categories.delete(described)
        const { id: webhookId } = await petstore.webhooks.create({
          url: "https://example.com/",
          types: ["pet.created"]
        })
        await petstore.webhooks.update(webhookId, { description: "New pets", enabled: false })
        await petstore.webhooks.delete(webhookId)
        const { id: petId } = await petstore.pets.create({ name: "Tom", categoryId })
        await petstore.inventory.set(petId, 3)
        await petstore.pets.update(petId, { name: "Tim" })
        await petstore.pets.update(petId, { status: "pending" })
        await petstore.pets.update(petId, { status: "available" })
        await petstore.orders.place({ petId, complete: true })
        const { id } = await petstore.orders.place({ petId, shipDate: "2030-01-01T00:00:00Z" })
        await petstore.orders.cancel(id)
        const { id: other } = await petstore.orders.place({ petId })
        await petstore.orders.update(other, { quantity: 2 })
        await petstore.orders.update(other, { shipDate: "2030-01-01T00:00:00Z" })
        await petstore.orders.complete(other)
        await petstore.messages.enqueue("Hello")
        await petstore.pets.update(petId, { status: "sold" })
        await petstore.pets.delete(petId)
      })
      const database = new DatabaseSync(file)
      const found = database.prepare("SELECT DISTINCT type FROM petstore_events").all()
      database.close()
      assert.isAbove(found.length, 15)
      assert.deepStrictEqual(
        found.map(({ type }) => String(type)).filter((type) => type.includes(".")),
        []
      )
    })
  )
})
