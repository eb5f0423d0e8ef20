import type { HostTransaction, Petstore } from "@petstore/core"

export type HostCommand = (petstore: Petstore, transaction: HostTransaction) => Promise<unknown>

/** Commands on a furnished store, each of which writes something. */
export const writingCommands: Readonly<Record<string, HostCommand>> = {
  "pets.create": ({ pets }, transaction) => pets.create({ name: "Tom", categoryId: 1 }, { transaction }),
  "pets.update": ({ pets }, transaction) => pets.update(1, { name: "Cottontail", status: "pending" }, { transaction }),
  "pets.delete": ({ pets }, transaction) => pets.delete(2, { transaction }),
  "categories.create": ({ categories }, transaction) => categories.create({ name: "Cats" }, { transaction }),
  "categories.update": ({ categories }, transaction) => categories.update(1, { name: "Hares" }, { transaction }),
  "categories.delete": ({ categories }, transaction) => categories.delete(2, { transaction }),
  "inventory.set": ({ inventory }, transaction) => inventory.set(1, 9, { transaction }),
  "orders.place": ({ orders }, transaction) => orders.place({ petId: 1 }, { transaction }),
  "orders.place with a key": ({ orders }, transaction) =>
    orders.place({ petId: 1 }, { transaction, idempotencyKey: "once" }),
  "orders.update": ({ orders }, transaction) => orders.update(1, { quantity: 1 }, { transaction }),
  "orders.complete": ({ orders }, transaction) => orders.complete(1, { transaction }),
  "orders.cancel": ({ orders }, transaction) => orders.cancel(1, { transaction }),
  "messages.enqueue": ({ messages }, transaction) => messages.enqueue("Hello", { transaction }),
  "messages.requeue": ({ messages }, transaction) => messages.requeue("msg_failed", { transaction }),
  "messages.requeueAll": ({ messages }, transaction) => messages.requeueAll({ status: "failed" }, { transaction }),
  "messages.delete": ({ messages }, transaction) => messages.delete("msg_failed", { transaction }),
  "webhooks.create": ({ webhooks }, transaction) =>
    webhooks.create({ url: "https://example.com/two" }, { transaction }),
  "webhooks.update": ({ webhooks }, transaction) => webhooks.update(1, { enabled: false }, { transaction }),
  "webhooks.delete": ({ webhooks }, transaction) => webhooks.delete(1, { transaction }),
  "webhooks.rotateSecret": ({ webhooks }, transaction) => webhooks.rotateSecret(1, {}, { transaction }),
  "webhooks.redeliver": ({ webhooks }, transaction) => webhooks.redeliver(1, { after: 0 }, { transaction }),
  "accounts.create": ({ accounts }, transaction) => accounts.create({ name: "Shop" }, { transaction }),
  "apiKeys.create": ({ apiKeys }, transaction) =>
    apiKeys.create({ accountId: 1, name: "two", scopes: ["pets:read"] }, { transaction }),
  "apiKeys.rotate": ({ apiKeys }, transaction) => apiKeys.rotate(1, {}, { transaction }),
  "apiKeys.revoke": ({ apiKeys }, transaction) => apiKeys.revoke(1, { transaction })
}

/** Commands that change nothing: those that read, and one whose key has been used. */
export const readingCommands: Readonly<Record<string, HostCommand>> = {
  "pets.get": ({ pets }, transaction) => pets.get(1, { transaction }),
  "pets.list": ({ pets }, transaction) => pets.list({ name: "F" }, { transaction }),
  "pets.getWithInventory": ({ pets }, transaction) => pets.getWithInventory(1, { transaction }),
  "categories.get": ({ categories }, transaction) => categories.get(1, { transaction }),
  "categories.list": ({ categories }, transaction) => categories.list({}, { transaction }),
  "inventory.get": ({ inventory }, transaction) => inventory.get(1, { transaction }),
  "inventory.list": ({ inventory }, transaction) => inventory.list({}, { transaction }),
  "inventory.movements": ({ inventory }, transaction) => inventory.movements(1, {}, { transaction }),
  "orders.get": ({ orders }, transaction) => orders.get(1, { transaction }),
  "orders.list": ({ orders }, transaction) => orders.list({ petId: 1 }, { transaction }),
  "messages.get": ({ messages }, transaction) => messages.get("msg_failed", { transaction }),
  "messages.list": ({ messages }, transaction) => messages.list({}, { transaction }),
  "webhooks.get": ({ webhooks }, transaction) => webhooks.get(1, { transaction }),
  "webhooks.list": ({ webhooks }, transaction) => webhooks.list({}, { transaction }),
  "webhooks.deliveries": ({ webhooks }, transaction) => webhooks.deliveries(1, {}, { transaction }),
  "deliveries.get": ({ deliveries }, transaction) => deliveries.get(1, { transaction }),
  "deliveries.list": ({ deliveries }, transaction) => deliveries.list({}, { transaction }),
  "accounts.get": ({ accounts }, transaction) => accounts.get(1, { transaction }),
  "accounts.list": ({ accounts }, transaction) => accounts.list({}, { transaction }),
  "apiKeys.get": ({ apiKeys }, transaction) => apiKeys.get(1, { transaction }),
  "apiKeys.list": ({ apiKeys }, transaction) => apiKeys.list({}, { transaction }),
  "orders.place with a used key": ({ orders }, transaction) =>
    orders.place({ petId: 1 }, { transaction, idempotencyKey: "before" })
}
