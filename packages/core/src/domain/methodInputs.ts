import type * as Schema from "effect/Schema"
import { accountInputs } from "./Account.ts"
import { apiKeyInputs } from "./ApiKey.ts"
import { categoryInputs } from "./Category.ts"
import { inventoryInputs } from "./InventoryItem.ts"
import { messageInputs } from "./Message.ts"
import { orderInputs } from "./Order.ts"
import { petInputs } from "./Pet.ts"

/** What a method takes and how it is checked: an id, then a body or a query, then options. */
export interface MethodInput {
  /** The id, under the name that it has in paths. */
  readonly path?: { readonly [name: string]: Schema.ConstraintDecoder<unknown> & Schema.Top }
  readonly body?: Schema.ConstraintDecoder<unknown>
  /** The only field of the body, if the method takes its value instead of an object. */
  readonly field?: string
  /** Whether an absent body is an empty one. */
  readonly bodyIsOptional?: true
  /** Which part of a list. */
  readonly query?: Schema.ConstraintDecoder<unknown>
  /** The option that the method takes in addition to those of every call. */
  readonly option?: "idempotencyKey" | "ifVersion"
}

/** The inputs of the methods of one group, by name. */
export type MethodInputs = Readonly<Record<string, MethodInput>>

/** What each method of a petstore takes, by group and name. */
export const methodInputs = {
  pets: petInputs,
  categories: categoryInputs,
  inventory: inventoryInputs,
  orders: orderInputs,
  messages: messageInputs,
  accounts: accountInputs,
  apiKeys: apiKeyInputs
} as const satisfies Readonly<Record<string, MethodInputs>>

type NamesIn<Group extends keyof typeof methodInputs> = `${Group}.${keyof (typeof methodInputs)[Group] & string}`

/** The name of a method with its group, such as `pets.create`. */
export type MethodName = { [Group in keyof typeof methodInputs]: NamesIn<Group> }[keyof typeof methodInputs]

/** What the method of this name takes. */
export const inputOf = (name: MethodName): MethodInput => {
  const [group = "", method = ""] = name.split(".")
  const groups: Readonly<Record<string, MethodInputs>> = methodInputs
  const input = groups[group]?.[method]
  if (input === undefined) throw new TypeError(`The petstore has no method ${name}`)
  return input
}
