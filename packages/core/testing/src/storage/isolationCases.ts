import * as Effect from "effect/Effect"
import { anOrderRecord } from "../builders.ts"
import { assertEqual } from "../check.ts"
import { allRows } from "./allRows.ts"
import { readBeside, upTo } from "./atOnce.ts"
import { storageCases } from "./cases.ts"
import { refuse } from "./programs.ts"
import { addOrder, givenCategory, givenPet, newCategory, renamePet } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"

const names = (store: TestedStore) => Effect.map(store.pets.scan([], 100), (pets) => pets.map(({ name }) => name))

export const isolationCases = storageCases("storage: isolation", {
  *"a read during transactions sees no intermediate state"(store, { openAnother }) {
    const id = yield* givenPet(store, { name: "committed 0" })
    const another = yield* openAnother(store)
    const seen = new Set<string | undefined>()
    const write = Effect.forEach(upTo(30), (n) => {
      const rename = store.run(function* (tx) {
        yield* renamePet(tx, id, `between ${n}`)
        yield* renamePet(tx, id, `${n % 3 === 0 ? "rejected" : "committed"} ${n}`)
        if (n % 3 === 0) return yield* refuse()
      })
      return Effect.andThen(Effect.exit(rename), Effect.yieldNow)
    })
    const read = Effect.fnUntraced(function* (one: TestedStore) {
      seen.add((yield* one.pets.find(id))?.name)
      for (const name of yield* names(one)) seen.add(name)
    })
    yield* readBeside(write, read(store), read(another))
    const neverCommitted = [...seen].filter((name) => name?.startsWith("committed") !== true)
    assertEqual(neverCommitted, [], "the names seen that were never committed")
    assertEqual(yield* names(store), ["committed 29"])
  },

  *"a row that has changed since it was read is read as it is now, on every store of the database"(
    store,
    { openAnother }
  ) {
    const stores = [store, yield* openAnother(store)]
    const petId = yield* givenPet(store, { name: "Rex 0" })
    const categoryId = yield* givenCategory(store, "Cats 0")
    const orderId = yield* store.run((tx) => addOrder(tx, { state: "draft", quantity: 1 }))
    const changeAll = (one: TestedStore, n: number) =>
      one.run(function* (tx) {
        yield* renamePet(tx, petId, `Rex ${n}`)
        const { category, ...rest } = newCategory(`Cats ${n}`)
        yield* tx.categories.save({ ...rest, category: { ...category, id: categoryId } })
        const order = { state: "draft", quantity: 1 + n } as const
        yield* tx.orders.save(anOrderRecord({ id: orderId, order, version: 1 + n }))
      })
    const readAll = Effect.fnUntraced(function* (one: TestedStore) {
      const pet = yield* one.pets.find(petId)
      const category = yield* one.categories.find(categoryId)
      const order = yield* one.orders.find(orderId)
      return [pet?.name, category?.category.name, order?.order.quantity]
    })
    for (let n = 0; n <= 4; n++) {
      const writer = stores[n % 2]
      if (n > 0 && writer !== undefined) yield* changeAll(writer, n)
      for (const one of stores) {
        assertEqual(yield* readAll(one), [`Rex ${n}`, `Cats ${n}`, 1 + n])
        assertEqual(yield* one.snapshot(readAll(one)), [`Rex ${n}`, `Cats ${n}`, 1 + n], "what a snapshot shows")
        assertEqual(yield* names(one), [`Rex ${n}`])
      }
    }
  },

  *"two databases are independent of each other"(store, { open }) {
    const other = yield* open
    yield* givenPet(store)
    assertEqual(yield* names(other), [])
    assertEqual((yield* allRows(other)).categories, [])
  }
})
