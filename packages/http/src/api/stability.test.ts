import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { operationDocs } from "../openapi/operationDocs.ts"
import { operations } from "./operations.ts"

/** The methods in the process, or of the client, by the first part of their use cases. */
const interfaces: Readonly<Record<string, readonly [file: string, name: string]>> = {
  accounts: ["core/src/programs/access/Accounts.ts", "AccountMethods"],
  apiKeys: ["core/src/programs/access/ApiKeys.ts", "ApiKeyMethods"],
  categories: ["core/src/programs/categories/Categories.ts", "CategoryMethods"],
  consumers: ["core/src/petstore/ConsumerMethods.ts", "ConsumersMethods"],
  deliveries: ["core/src/programs/webhooks/Deliveries.ts", "DeliveryMethods"],
  events: ["core/src/petstore/PetstoreApi.ts", "EventMethods"],
  inventory: ["core/src/programs/inventory/Inventory.ts", "InventoryMethods"],
  messages: ["core/src/programs/messages/Messages.ts", "MessageMethods"],
  orders: ["core/src/programs/orders/Orders.ts", "OrderMethods"],
  pets: ["core/src/programs/pets/Pets.ts", "PetMethods"],
  records: ["core/src/programs/records/Records.ts", "RecordMethods"],
  server: ["http/src/client/createClient.ts", "RemotePetstore"],
  webhooks: ["core/src/programs/webhooks/Webhooks.ts", "WebhookMethods"]
}

/** `pets.getWithInventory` is the same method as `pets.get`: the client uses either. */
const methodOf = (useCase: string): string => useCase.replace("pets.getWithInventory", "pets.get")

/** The stability of a method, by its docstring or by that of its interface. */
const stabilityOf = (useCase: string): string => {
  const [subject = "", method = ""] = methodOf(useCase).split(".")
  const [file, name] = interfaces[subject] ?? assert.fail(`${useCase} is in no interface that this test knows`)
  const source = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8")
  const start = source.search(new RegExp(`\nexport interface ${name}\\b`))
  const members = source.slice(start)
  const at = members.search(new RegExp(`\n {2}${method}[(<]`))
  assert.isTrue(start > 0 && at > 0, `${name} of ${file} has no method ${method}`)
  const lastDoc = (text: string): string => text.slice(text.lastIndexOf("/**"))
  const docs = lastDoc(source.slice(0, start)) + lastDoc(members.slice(0, at))
  return /@(beta|experimental)/.exec(docs)?.[1] ?? "stable"
}

describe("the stability of an operation", () => {
  for (const { id, useCase } of operations) {
    const { stability } = operationDocs[id]
    it(`given ${id}, which is ${stability} over HTTP, then so is its method`, () => {
      assert.strictEqual(stabilityOf(useCase), stability)
    })
  }
})
