import type { Petstore, StorageAdapter } from "@petstore/core"
import { testPetstore } from "@petstore/testing"

/** Encrypts the secrets of webhooks in the stores that are kept. */
export const secretKey = Buffer.alloc(32, "release").toString("base64")

const isOver = async (petstore: Petstore, type: "message.delivered"): Promise<void> => {
  for await (const _ of petstore.events.stream({ after: 0, types: [type] })) return
}

const sell = async (petstore: Petstore): Promise<void> => {
  const { categories, inventory, orders, pets, records } = petstore
  const dogs = await categories.create({ name: "Dogs" }, { idempotencyKey: "dogs" })
  const empty = await categories.create({ name: "Empty" })
  await categories.update(dogs.id, { name: "Hunde" })
  const rex = await pets.create({ name: "Rex", categoryId: dogs.id })
  const [ben, tom] = await pets.createAll(["Ben", "Tom"].map((name) => ({ name, categoryId: dogs.id })))
  await inventory.set(rex.id, 12)
  await inventory.adjust(rex.id, { delta: -1, reason: "damaged", note: "bitten" })
  await pets.update(rex.id, { name: "Rex 🐕" })
  const shipped = await orders.place({ petId: rex.id, quantity: 2 }, { idempotencyKey: "cart-1" })
  await orders.complete(shipped.id)
  const cancelled = await orders.place({ petId: rex.id })
  await orders.cancel(cancelled.id)
  const open = await orders.place({ petId: rex.id, quantity: 3 }, { reserveFor: "30 days" })
  await orders.update(open.id, { quantity: 4, shipDate: "2030-02-01T10:00:00Z" })
  await orders.placeAll([{ petId: rex.id }, {}])
  await records.update("pets", rex.id, { externalId: "sku-7", metadata: { colour: "brown" } })
  await records.update("orders", open.id, { externalId: "cart-2" })
  if (ben !== undefined) await pets.delete(ben.id)
  if (tom !== undefined) await orders.place({ petId: tom.id, complete: true })
  await categories.delete(empty.id)
}

/** Fills a store with a few rows of each table. Every store gets the same ids, times and events. */
export const fill = async (storage: StorageAdapter): Promise<void> => {
  const petstore = await testPetstore({ storage, seed: 1, secretKey, onMessage: () => {} })
  const { accounts, apiKeys, clock, events, messages, orders, webhooks } = petstore
  try {
    await sell(petstore)
    const late = await orders.place({ petId: 1 }, { reserveFor: "1 minute" })
    await clock.advance("2 minutes")
    while ((await orders.get(late.id).catch(() => undefined)) !== undefined) await clock.advance("1 minute")
    const till = await accounts.create({ name: "Till" })
    const key = await apiKeys.create({ accountId: till.id, name: "one", scopes: ["pets:read", "orders:write"] })
    await apiKeys.rotate(key.id)
    const { id: revoked } = await apiKeys.create({ accountId: till.id, name: "two", scopes: ["pets:read"] })
    await apiKeys.revoke(revoked)
    await messages.enqueue("Rex is ready.", { idempotencyKey: "ready" })
    await isOver(petstore, "message.delivered")
    const hook = await webhooks.create({ url: "https://example.com/", types: ["pet.created"] })
    await webhooks.redeliver(hook.id, { after: 0, through: 9 })
    await webhooks.delete((await webhooks.create({ url: "https://example.com/gone" })).id)
    const consumer = await events.consume("invoices", () => {}, { after: 0 })
    while ((await events.consumers.get("invoices")).position < (await events.latest())) await clock.advance("1 second")
    await consumer.close()
  } finally {
    await petstore.close()
  }
}
