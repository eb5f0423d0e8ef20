import { accountInputs } from "./Account.ts"
import { apiKeyInputs } from "./ApiKey.ts"
import { categoryInputs } from "./Category.ts"
import { eventInputs } from "./Event.ts"
import { inventoryInputs } from "./InventoryItem.ts"
import { messageInputs } from "./Message.ts"
import type { MethodInput, MethodInputs } from "./MethodInput.ts"
import { orderInputs } from "./Order.ts"
import { petInputs } from "./Pet.ts"
import { webhookInputs } from "./webhookInputs.ts"

/** What each method of a petstore takes, by group and name. */
export const methodInputs = {
  pets: petInputs,
  categories: categoryInputs,
  inventory: inventoryInputs,
  orders: orderInputs,
  messages: messageInputs,
  accounts: accountInputs,
  apiKeys: apiKeyInputs,
  webhooks: webhookInputs
} as const satisfies Readonly<Record<string, MethodInputs>>

type NamesIn<Group extends keyof typeof methodInputs> = `${Group}.${keyof (typeof methodInputs)[Group] & string}`

/** The name of a method with its group, such as `pets.create`. */
export type MethodName = { [Group in keyof typeof methodInputs]: NamesIn<Group> }[keyof typeof methodInputs]

/** The name of a method that the REST API has an operation for. Those of `events` are made apart from the others. */
export type OperationName = MethodName | `events.${keyof typeof eventInputs}`

/** What the method of this name takes. */
export const inputOf = (name: OperationName): MethodInput => {
  const [group = "", method = ""] = name.split(".")
  const groups: Readonly<Record<string, MethodInputs>> = { ...methodInputs, events: eventInputs }
  const input = groups[group]?.[method]
  if (input === undefined) throw new TypeError(`The petstore has no method ${name}`)
  return input
}
