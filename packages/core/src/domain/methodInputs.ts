import { accountInputs } from "./access/Account.ts"
import { apiKeyInputs } from "./access/ApiKey.ts"
import { categoryInputs } from "./categories/Category.ts"
import { AnyConsumerName } from "./consumers/Consumer.ts"
import { eventInputs } from "./events/Event.ts"
import { Id } from "./Id.ts"
import { inventoryInputs } from "./inventory/InventoryItem.ts"
import type { MethodInput, MethodInputs } from "./MethodInput.ts"
import { messageInputs } from "./messages/Message.ts"
import { orderInputs } from "./orders/Order.ts"
import { ListQuery, PageQuery } from "./PageQuery.ts"
import { petInputs } from "./pets/Pet.ts"
import { recordInputs } from "./records/ResourceRecord.ts"
import { DeliveryFilter, DeliveryRequeue, DeliverySearch, Redelivery } from "./webhooks/Delivery.ts"
import { NewWebhook, WebhookRotation, WebhookUpdate } from "./webhooks/Webhook.ts"

/** What the methods of `webhooks` take. */
const webhookInputs = {
  create: { body: NewWebhook, rejectsKey: true, errors: ["url_not_allowed"] },
  get: { path: { webhookId: Id }, errors: ["not_found", "secret_unreadable"] },
  list: { query: ListQuery, errors: ["secret_unreadable"] },
  update: {
    path: { webhookId: Id },
    body: WebhookUpdate,
    options: { ifVersion: true },
    errors: ["not_found", "secret_unreadable", "url_not_allowed"]
  },
  delete: { path: { webhookId: Id }, options: { idempotencyKey: true, ifVersion: true }, errors: ["not_found"] },
  rotateSecret: {
    path: { webhookId: Id },
    body: WebhookRotation,
    bodyIsOptional: true,
    rejectsKey: true,
    errors: ["not_found", "secret_unreadable"]
  },
  test: { path: { webhookId: Id }, errors: ["not_found", "secret_unreadable"] },
  deliveries: { path: { webhookId: Id }, query: DeliveryFilter, errors: ["not_found"] },
  redeliver: { path: { webhookId: Id }, body: Redelivery, errors: ["not_found", "cursor_expired"] }
} as const satisfies MethodInputs

/** What the methods of `deliveries` take. */
const deliveryInputs = {
  get: { path: { deliveryId: Id }, errors: ["not_found"] },
  list: { query: DeliverySearch },
  requeueAll: { body: DeliveryRequeue, errors: ["not_found"] }
} as const satisfies MethodInputs

/** What each method of a petstore takes, by group and name. */
export const methodInputs = {
  pets: petInputs,
  categories: categoryInputs,
  inventory: inventoryInputs,
  orders: orderInputs,
  records: recordInputs,
  messages: messageInputs,
  accounts: accountInputs,
  apiKeys: apiKeyInputs,
  webhooks: webhookInputs,
  deliveries: deliveryInputs
} as const satisfies Readonly<Record<string, MethodInputs>>

type NamesIn<Group extends keyof typeof methodInputs> = `${Group}.${keyof (typeof methodInputs)[Group] & string}`

/** The name of a method with its group, such as `pets.create`. */
export type MethodName = { [Group in keyof typeof methodInputs]: NamesIn<Group> }[keyof typeof methodInputs]

/** What only a server knows: who the caller is, and its numbers. */
const serverInputs = { session: {}, stats: {}, statsHistory: {} } as const satisfies MethodInputs

const consumerPath = { consumerName: AnyConsumerName }
const parkedPath = { ...consumerPath, seq: Id }

/** What the methods of `events.consumers` take that are operations of the REST API. */
export const consumerInputs = {
  list: { query: PageQuery },
  get: { path: consumerPath, errors: ["not_found"] },
  parked: { path: consumerPath, query: PageQuery, errors: ["not_found"] },
  replay: { path: parkedPath, errors: ["not_found"] },
  discard: { path: parkedPath, errors: ["not_found"] }
} as const satisfies MethodInputs

/** The groups of methods that are made apart from the others. */
const otherInputs = { events: eventInputs, consumers: consumerInputs, server: serverInputs }

type OtherName = {
  [Group in keyof typeof otherInputs]: `${Group}.${keyof (typeof otherInputs)[Group] & string}`
}[keyof typeof otherInputs]

/** The name of what the REST API has an operation for. */
export type OperationName = MethodName | OtherName

/** What the method of this name takes. */
export const inputOf = (name: OperationName): MethodInput => {
  const [group = "", method = ""] = name.split(".")
  const groups: Readonly<Record<string, MethodInputs>> = { ...methodInputs, ...otherInputs }
  const input = groups[group]?.[method]
  if (input === undefined) throw new TypeError(`The petstore has no method ${name}`)
  return input
}
