import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import { memory } from "../../memory/MemoryStorage.ts"
import { createPetstore } from "../../petstore/createPetstore.ts"
import { runtimeOf } from "../../petstore/openPetstore.ts"
import { Storage } from "../../ports/Storage.ts"

/** How often the log is read while orders are placed one after the other, each in a commit of its own. */
const readsOf = async (subscribers: number, types: ReadonlyArray<"order.placed" | "pet.deleted"> | undefined) => {
  await using petstore = await createPetstore({ storage: memory() })
  const { id: categoryId } = await petstore.categories.create({ name: "Fish" })
  const { id: petId } = await petstore.pets.create({ name: "Guppy", categoryId })
  await petstore.inventory.set(petId, 1_000)
  const storage = Context.get(await runtimeOf(petstore).context(), Storage)
  let reads = 0
  const { scan, scanDeferred } = storage.events
  for (const [name, read] of Object.entries({ scan, scanDeferred })) {
    Reflect.set(storage.events, name, (...args: Parameters<typeof scan>) => {
      reads++
      return read?.(...args)
    })
  }
  const received: Array<number> = []
  for (let count = 0; count < subscribers; count++) {
    await petstore.events.subscribe(() => received.push(count), types === undefined ? {} : { types })
  }
  for (let count = 0; count < 100; count++) await petstore.orders.place({ petId })
  for (let count = 0; count < 20; count++) await new Promise((resolve) => setImmediate(resolve))
  return { reads, received: received.length }
}

describe("given 100 commits", () => {
  it("when nobody subscribes, then the log is not read", async () => {
    assert.strictEqual((await readsOf(0, undefined)).reads, 0)
  })

  for (const [name, types, perSubscriber] of [
    ["every event", undefined, 200],
    ["one type", ["order.placed"], 100],
    ["another type", ["pet.deleted"], 0]
  ] as const) {
    it(`when many subscribe to ${name}, then the log is read no more than once, however many there are`, async () => {
      for (const subscribers of [1, 50]) {
        const { reads, received } = await readsOf(subscribers, types)
        assert.isAtMost(reads, 1)
        assert.strictEqual(received, subscribers * perSubscriber)
      }
    })
  }
})
