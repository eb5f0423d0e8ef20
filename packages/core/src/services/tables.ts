/** The tables that commands read and write. Rows are locked in this order, and rows of one table in ascending key. */

import { parkedKeyOf } from "../domain/Consumer.ts"
import { storedKeyOf } from "../domain/IdempotencyKey.ts"
import { isClaimable, type MessageRecord } from "../domain/MessageState.ts"
import type { Movement } from "../domain/Movement.ts"
import { orderStates } from "../domain/OrderState.ts"
import type { Log, Query, Table } from "../engine/Table.ts"
import type { ApiKeyRecord } from "../ports/ApiKeyRows.ts"
import type { CategoryRecord } from "../ports/CategoryRows.ts"
import type { ConsumerRecord } from "../ports/ConsumerRows.ts"
import type { DeliveryRecord, NewDelivery } from "../ports/DeliveryRows.ts"
import type { EventRecord, EventToAppend } from "../ports/EventRows.ts"
import type { IdempotencyRecord } from "../ports/IdempotencyRows.ts"
import type { OrderRecord } from "../ports/OrderRows.ts"
import type { ParkedEventRecord } from "../ports/ParkedEventRows.ts"
import type { PetRecord } from "../ports/PetRows.ts"
import type { AccountRecord } from "../ports/Restore.ts"
import type { WebhookRecord } from "../ports/WebhookRows.ts"

export const idempotencyKeys: Table<IdempotencyRecord, string> = {
  name: "idempotency",
  keyOf: storedKeyOf,
  isLive: () => true
}

export const orders: Table<OrderRecord> = {
  name: "orders",
  keyOf: ({ id }) => id,
  isLive: ({ order }) => orderStates[order.state].visible
}

export const pets: Table<PetRecord> = {
  name: "pets",
  keyOf: ({ id }) => id,
  isLive: ({ deleted }) => !deleted
}

export const petsInCategory: Query<PetRecord, number> = {
  name: "petsInCategory",
  table: pets,
  selects: (pet, categoryId) => pet.categoryId === categoryId
}

export const categories: Table<CategoryRecord> = {
  name: "categories",
  keyOf: ({ category }) => category.id,
  isLive: ({ deleted }) => !deleted
}

export const categoriesByName: Query<CategoryRecord, string> = {
  name: "categoriesByName",
  table: categories,
  selects: (row, nameKey) => row.nameKey === nameKey
}

export const accounts: Table<AccountRecord> = {
  name: "accounts",
  keyOf: ({ account }) => account.id,
  isLive: () => true
}

export const accountsByName: Query<AccountRecord, string> = {
  name: "accountsByName",
  table: accounts,
  selects: (row, nameKey) => row.nameKey === nameKey
}

export const apiKeys: Table<ApiKeyRecord> = {
  name: "apiKeys",
  keyOf: ({ key }) => key.id,
  isLive: ({ revoked }) => !revoked
}

/** The admin keys other than one that are valid at a time. Two that revoke each other's key would each find the other one. */
export const otherAdminKeys: Query<ApiKeyRecord, { readonly id: number; readonly at: string }> = {
  name: "otherAdminKeys",
  table: apiKeys,
  isExclusive: true,
  selects: ({ key: { expiresAt, id, scopes } }, other) =>
    id !== other.id && scopes.includes("admin") && (expiresAt === undefined || expiresAt > other.at)
}

export const messages: Table<MessageRecord, string> = {
  name: "messages",
  keyOf: ({ id }) => id,
  isLive: () => true
}

/** When a queued message is due: with a lease, when that expires. */
const dueTime = ({ createdAt, dueAt = createdAt, lease }: MessageRecord): string => lease.until ?? dueAt

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** The messages that a worker may claim at a time: those with expired leases first. */
export const claimableMessages: Query<MessageRecord, string, string> = {
  name: "claimableMessages",
  table: messages,
  selects: isClaimable,
  compare: (one, other) =>
    Number(one.lease.until === undefined) - Number(other.lease.until === undefined) ||
    compareTexts(dueTime(one), dueTime(other)) ||
    compareTexts(one.id, other.id)
}

/** The messages that were delivered before a time, the first ones first. */
export const deliveredMessages: Query<MessageRecord, string, string> = {
  name: "deliveredMessages",
  table: messages,
  selects: ({ finishedAt, status }, before) => status === "delivered" && (finishedAt ?? "") < before,
  compare: (one, other) => compareTexts(one.finishedAt ?? "", other.finishedAt ?? "") || compareTexts(one.id, other.id)
}

export const webhooks: Table<WebhookRecord> = {
  name: "webhooks",
  keyOf: ({ webhook }) => webhook.id,
  isLive: ({ deleted }) => !deleted
}

/** The endpoints with ids above one. */
export const endpoints: Query<WebhookRecord, number> = {
  name: "endpoints",
  table: webhooks,
  selects: ({ webhook }, after) => webhook.id > after
}

/** The deliveries to endpoints, whose locks keep them as they are. */
export const deliveries: Table<DeliveryRecord> = {
  name: "deliveries",
  keyOf: ({ delivery }) => delivery.id,
  isLive: () => true,
  ownerOf: ({ delivery }) => ({ table: webhooks, key: delivery.webhookId })
}

const isPending = ({ delivery }: DeliveryRecord, of: { readonly webhookId: number }): boolean =>
  delivery.status === "pending" && delivery.webhookId === of.webhookId

/** The pending deliveries to an endpoint whose next attempt is due at a time, in the order in which they are. */
export const dueDeliveries: Query<DeliveryRecord, { readonly webhookId: number; readonly at: string }> = {
  name: "dueDeliveries",
  table: deliveries,
  selects: (record, query) => {
    const { nextAttemptAt } = record.delivery
    return isPending(record, query) && nextAttemptAt !== undefined && nextAttemptAt <= query.at
  },
  compare: ({ delivery: one }, { delivery: other }) =>
    compareTexts(one.nextAttemptAt ?? "", other.nextAttemptAt ?? "") || one.id - other.id
}

/** The pending deliveries to an endpoint with a lease that ends after a time, and not after another one. */
export const leasedDeliveries: Query<
  DeliveryRecord,
  { readonly webhookId: number; readonly after: string; readonly through: string }
> = {
  name: "leasedDeliveries",
  table: deliveries,
  selects: (record, query) => {
    const { until } = record.lease
    return isPending(record, query) && until !== undefined && until > query.after && until <= query.through
  }
}

/** The pending deliveries to an endpoint about a subject. */
export const pendingDeliveries: Query<DeliveryRecord, { readonly webhookId: number; readonly subject: string }> = {
  name: "pendingDeliveries",
  table: deliveries,
  selects: (record, query) => isPending(record, query) && record.delivery.subject === query.subject
}

/** The deliveries to an endpoint of the events behind a position, in the order of the events. */
export const deliveriesOfEvents: Query<DeliveryRecord, { readonly webhookId: number; readonly after: number }> = {
  name: "deliveriesOfEvents",
  table: deliveries,
  selects: ({ delivery }, { after, webhookId }) => delivery.webhookId === webhookId && delivery.seq > after,
  compare: ({ delivery: one }, { delivery: other }) => one.seq - other.seq
}

/** Deliveries that are added, which the store gives ids. At most one of an event to an endpoint. */
export const newDeliveries: Log<NewDelivery> = { name: "deliveries", rows: [] }

export const consumers: Table<ConsumerRecord, string> = {
  name: "consumers",
  keyOf: ({ name }) => name,
  isLive: () => true
}

/** The parked events of consumers, whose locks keep them as they are. */
export const parkedEvents: Table<ParkedEventRecord, string> = {
  name: "parkedEvents",
  keyOf: parkedKeyOf,
  isLive: () => true,
  ownerOf: ({ consumer }) => ({ table: consumers, key: consumer })
}

/** The parked events of a consumer. */
export const parkedEventsOf: Query<ParkedEventRecord, string, string> = {
  name: "parkedEventsOf",
  table: parkedEvents,
  selects: ({ consumer }, name) => consumer === name
}

export const movements: Log<Movement> = { name: "movements", rows: [] }

export const events: Log<EventToAppend> = { name: "events", rows: [] }

/** The same log as commands read it. */
export const recordedEvents: Log<EventRecord> = { name: "events", rows: [] }

/** The queries of commands, by their names. */
export const queries = {
  accountsByName,
  categoriesByName,
  claimableMessages,
  deliveredMessages,
  deliveriesOfEvents,
  dueDeliveries,
  endpoints,
  leasedDeliveries,
  otherAdminKeys,
  parkedEventsOf,
  pendingDeliveries,
  petsInCategory
}

/** The tables, queries and logs of commands, for tools that run commands themselves. */
export const tables = {
  ...queries,
  accounts,
  apiKeys,
  categories,
  consumers,
  deliveries,
  events,
  idempotencyKeys,
  messages,
  movements,
  orders,
  parkedEvents,
  pets,
  webhooks
}
