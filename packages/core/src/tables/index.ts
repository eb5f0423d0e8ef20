/** The tables of a petstore, and their queries. */

import type { Movement } from "../domain/Movement.ts"
import type { Log, Table } from "../engine/Table.ts"
import type { EventRecord, EventToAppend } from "../ports/EventRows.ts"
import type { TableName, TableRecords } from "../ports/Restore.ts"
import { accounts, apiKeys } from "./access.ts"
import { categories, pets } from "./catalogue.ts"
import { idempotencyKeys, movements, orders } from "./orders.ts"
import { consumers, messages, parkedEvents } from "./queues.ts"
import { checkpoints, imports } from "./upkeep.ts"
import { type DeliveryRecord, deliveries, webhooks } from "./webhooks.ts"

export * from "./access.ts"
export * from "./catalogue.ts"
export * from "./orders.ts"
export * from "./queues.ts"
export * from "./upkeep.ts"
export * from "./webhooks.ts"

/** The ledger, as commands add to it. */
export const ledger: Log<Movement> = { name: "movements", rows: [] }

export const events: Log<EventToAppend> = { name: "events", rows: [] }

/** The same log as commands read it. */
export const recordedEvents: Log<EventRecord> = { name: "events", rows: [] }

/** Deliveries that are added, which the store gives ids. */
export const newDeliveries: Log<DeliveryRecord> = { name: "deliveries", rows: [] }

/** The tables by their names, but the log of events. A table refers only to tables before it. */
export const schema = {
  accounts,
  apiKeys,
  categories,
  pets,
  orders,
  movements,
  checkpoints,
  messages,
  idempotency: idempotencyKeys,
  imports,
  consumers,
  parkedEvents,
  webhooks,
  deliveries
} satisfies {
  readonly [Name in Exclude<TableName, "events">]: Table<TableRecords[Name], number> | Table<TableRecords[Name], string>
}
