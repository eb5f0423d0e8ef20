import { assertEqual } from "../check.ts"
import { petstoreCases } from "./cases.ts"

const keysOf = (value: object): string => Object.keys(value).join(" ")

export const fieldOrderCases = petstoreCases("order of fields", {
  "every store returns the fields of a resource in one order, whatever the order of the input": async (petstore) => {
    const { accounts, apiKeys, categories, events, inventory, messages, orders, pets } = petstore
    const { id: categoryId } = await categories.create({ description: "Loyal", name: "Dogs" })
    const { id: petId } = await pets.create({ status: "available", categoryId, name: "Rex" })
    const { id: orderId } = await orders.place({ shipDate: "2030-01-01T00:00:00Z", quantity: 1, petId })
    const { id: accountId } = await accounts.create({ name: "Shop" })
    const { id: keyId } = await apiKeys.create({ scopes: ["pets:read"], name: "till", accountId })
    const { id: messageId } = await messages.enqueue("Hello")
    const [movement = {}] = (await inventory.movements(petId)).items
    const shown: Readonly<Record<string, object>> = {
      category: await categories.get(categoryId),
      pet: await pets.get(petId),
      "pet and stock": await pets.getWithInventory(petId),
      order: await orders.get(orderId),
      stock: await inventory.get(petId),
      movement,
      account: await accounts.get(accountId),
      key: await apiKeys.get(keyId),
      message: await messages.get(messageId)
    }
    assertEqual(
      Object.entries(shown).map(([name, value]) => `${name}: ${keysOf(value)}`),
      [
        "category: id name description version",
        "pet: id name categoryId status version",
        "pet and stock: id name categoryId status version inventory",
        "order: id petId quantity shipDate complete version",
        "stock: petId quantity status reserved available version",
        "movement: petId seq kind deltaOnHand deltaReserved actor at",
        "account: id name createdAt",
        "key: id accountId name scopes createdAt version",
        "message: id message status createdAt"
      ]
    )
    const { items } = await events.list({ limit: 1 })
    assertEqual(items.map(keysOf), ["id type timestamp seq subject data"])
  },

  "changes return the fields in that order too, and so does what reads them": async (petstore) => {
    const { categories, events, orders, pets, webhooks } = petstore
    const { id: categoryId } = await categories.create({ name: "Dogs" })
    const { id: petId } = await pets.create({ name: "Rex", categoryId })
    const { id: orderId } = await orders.place({ shipDate: "2030-01-01T00:00:00Z" })
    const { id: webhookId } = await webhooks.create({ types: ["pet.created"], url: "https://example.com/" })
    const shown: Readonly<Record<string, object>> = {
      category: await categories.update(categoryId, { description: "Loyal" }),
      pet: await pets.update(petId, { name: "Max" }),
      order: await orders.update(orderId, { quantity: 1, petId }),
      webhook: await webhooks.update(webhookId, { description: "Till", enabled: false, types: ["pet.updated"] }),
      "category read": await categories.get(categoryId),
      "pet read": await pets.get(petId),
      "order read": await orders.get(orderId),
      "webhook read": await webhooks.get(webhookId)
    }
    const { items } = await events.list({ types: ["category.updated", "pet.updated", "webhook.disabled"] })
    const orderOf = {
      category: "id name description version",
      pet: "id name categoryId status version",
      order: "id petId quantity shipDate complete version",
      webhook: "id url types description ordered concurrency enabled disabledReason disabledAt createdAt version"
    }
    assertEqual(
      Object.entries(shown).map(([name, value]) => `${name}: ${keysOf(value)}`),
      ["", " read"].flatMap((how) => Object.entries(orderOf).map(([name, keys]) => `${name}${how}: ${keys}`))
    )
    assertEqual(
      items.map(({ data, type }) => `${type}: ${keysOf(data)}`),
      [
        `category.updated: ${orderOf.category}`,
        `pet.updated: ${orderOf.pet}`,
        `webhook.disabled: ${orderOf.webhook.replace(" url", "")}`
      ]
    )
  }
})
