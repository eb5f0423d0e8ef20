import { DatabaseSync } from "node:sqlite"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type Petstore } from "@petstore/core"
import { runtimeOf } from "@petstore/core/effect"
import { Trimming } from "@petstore/core/runtime"
import * as Effect from "effect/Effect"

/** Opens a petstore on a file for a while. */
export const inPetstore = <A>(file: string, body: (petstore: Petstore) => Promise<A>): Effect.Effect<A> =>
  Effect.promise(async () => {
    const petstore = await createPetstore({ storage: sqlite(file) })
    try {
      return await body(petstore)
    } finally {
      await petstore.close()
    }
  })

/** Removes all events of a file but the last 3, and those that consumers need. */
export const trimShop = (file: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    const petstore = await createPetstore({ storage: sqlite(file), retention: { events: { count: 3 } } })
    try {
      const trimming = Effect.flatMap(Trimming, ({ trim }) => Effect.repeat(trim, { until: ({ isLast }) => isLast }))
      await runtimeOf(petstore).runPromise(trimming)
    } finally {
      await petstore.close()
    }
  })

/** A consumer that has parked an event. */
const parkEvents = async ({ events }: Petstore): Promise<void> => {
  const parked = Promise.withResolvers<unknown>()
  const consumer = await events.consume(
    "invoices",
    () => {
      throw new Error("No paper")
    },
    { after: 0, types: ["category.deleted"], parkAfter: 1, onError: parked.resolve }
  )
  await parked.promise
  await consumer.close()
}

/** A shop with every kind of row, deleted ones, and a key that was used, rotated and revoked. */
export const fillShop = (file: string, pets: number) =>
  inPetstore(file, async (petstore) => {
    const cats = await petstore.categories.create({ name: "Cats", description: "They purr" })
    const gone = await petstore.categories.create({ name: "Dogs" })
    await petstore.categories.delete(gone.id)
    const numbers = Array.from({ length: pets }, (_, at) => at)
    const made = await Promise.all(
      numbers.map((at) =>
        petstore.pets.create({ name: `Pet ${at} 🐈`, categoryId: cats.id }, { idempotencyKey: `pet-${at}` })
      )
    )
    const orders = await Promise.all(
      made.map(({ id }) => petstore.orders.place({ petId: id, complete: id % 3 === 0 }, { reserveFor: "365 days" }))
    )
    for (const order of orders.slice(0, 5)) if (!order.complete) await petstore.orders.cancel(order.id)
    await petstore.pets.delete((await petstore.pets.create({ name: "Gone", categoryId: cats.id })).id)
    await petstore.orders.place({})
    await petstore.records.update("pets", made[0]?.id ?? 0, { externalId: "A-1", metadata: { chip: "276 🐈" } })
    await petstore.messages.enqueue("Hello\n🐶")
    const { id: accountId } = await petstore.accounts.create({ name: "Shöp" })
    const admin = await petstore.apiKeys.create({ accountId, name: "till", preset: "admin" })
    await petstore.apiKeys.rotate(admin.id, { graceSeconds: 3_600 })
    const other = await petstore.apiKeys.create({ accountId, name: "old", scopes: ["pets:read"] })
    await petstore.apiKeys.revoke(other.id)
    await parkEvents(petstore)
  })

/** Every row of every table, but for the times of migrations and checks. */
export const dump = (file: string): Readonly<Record<string, ReadonlyArray<unknown>>> => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'petstore%'")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => !["petstore_migrations", "petstore_write_check"].includes(name))
    return Object.fromEntries(tables.map((name) => [name, database.prepare(`SELECT * FROM ${name}`).all()]))
  } finally {
    database.close()
  }
}
