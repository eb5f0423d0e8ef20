import { assertEqual } from "../check.ts"
import { petstoreCases } from "./cases.ts"

const keysOf = (value: object): string => Object.keys(value).join(" ")

const [category, pet, order, webhook] = [
  "id name description version",
  "id name categoryId status version",
  "id petId quantity shipDate complete version",
  "id url types description ordered concurrency enabled disabledReason disabledAt createdAt version"
]

export const fieldOrderCases = petstoreCases("order of fields", {
  "every store returns the fields of a resource in one order, whatever the order of the input or of changes": async ({
    accounts,
    apiKeys,
    categories,
    events,
    inventory,
    messages,
    orders,
    pets,
    webhooks
  }) => {
    const { id: categoryId } = await categories.create({ description: "Loyal", name: "Dogs" })
    const { id: other } = await categories.create({ name: "Cats" })
    const { id: petId } = await pets.create({ status: "available", categoryId, name: "Rex" })
    const { id: orderId } = await orders.place({ shipDate: "2030-01-01T00:00:00Z", quantity: 1, petId })
    const { id: draftId } = await orders.place({ shipDate: "2030-01-01T00:00:00Z" })
    const { id: accountId } = await accounts.create({ name: "Shop" })
    const { id: keyId } = await apiKeys.create({ scopes: ["pets:read"], name: "till", accountId })
    const { id: messageId } = await messages.enqueue("Hello")
    const { id: webhookId } = await webhooks.create({ types: ["pet.created"], url: "https://example.com/" })
    const [movement = {}] = (await inventory.movements(petId)).items
    const [event = {}] = (await events.list({ limit: 1 })).items
    const shown: ReadonlyArray<readonly [value: object, keys: string]> = [
      [await categories.get(categoryId), category],
      [await categories.update(other, { description: "Loyal" }), category],
      [await categories.get(other), category],
      [await pets.get(petId), pet],
      [await pets.getWithInventory(petId), `${pet} inventory`],
      [await pets.update(petId, { name: "Max" }), pet],
      [await pets.get(petId), pet],
      [await orders.get(orderId), order],
      [
        await orders.update(draftId, { quantity: 1, petId: (await pets.create({ name: "Tom", categoryId })).id }),
        order
      ],
      [await orders.get(draftId), order],
      [await webhooks.update(webhookId, { description: "Till", enabled: false, types: ["pet.updated"] }), webhook],
      [await webhooks.get(webhookId), webhook],
      [await inventory.get(petId), "petId quantity status reserved available version"],
      [movement, "petId seq kind deltaOnHand deltaReserved actor at"],
      [await accounts.get(accountId), "id name createdAt"],
      [await apiKeys.get(keyId), "id accountId name scopes createdAt version"],
      [await messages.get(messageId), "id message status createdAt"],
      [event, "id type timestamp seq subject data"]
    ]
    for (const [value, keys] of shown) assertEqual(keysOf(value), keys)
    const { items } = await events.list({ types: ["category.updated", "pet.updated", "webhook.disabled"] })
    assertEqual(new Set(items.map(({ data }) => keysOf(data))), new Set([category, pet, webhook.replace(" url", "")]))
    assertEqual(items.length, 3)
  }
})
