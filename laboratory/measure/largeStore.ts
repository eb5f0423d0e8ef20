import type { StorageAdapter } from "@petstore/core"
import { createPetstore, type Petstore } from "@petstore/core"

/** Calls a function for 1 to `count`, 512 calls at a time. */
const each = async (count: number, call: (n: number) => Promise<unknown>): Promise<void> => {
  let next = 1
  const worker = async () => {
    while (next <= count) await call(next++)
  }
  await Promise.all(Array.from({ length: 512 }, worker))
}

const place = async (petstore: Petstore, n: number): Promise<void> => {
  const options = n % 10 === 0 ? { idempotencyKey: `order-${n}` } : {}
  const order = await petstore.orders.place({ petId: n, complete: n % 5 === 1 }, options)
  if (n % 20 === 3) await petstore.orders.cancel(order.id)
}

/** Fills a new store with as many pets and orders as `rows`. */
export const fillLargeStore = async (storage: StorageAdapter, rows: number): Promise<void> => {
  const petstore = await createPetstore({ storage })
  for (let n = 1; n <= 20; n++) await petstore.categories.create({ name: `Category ${n}` })
  await each(rows, (n) => petstore.pets.create({ name: `Pet ${n}`, categoryId: 1 + (n % 20) }))
  await each(rows, (n) => place(petstore, n))
  await petstore.close()
}
