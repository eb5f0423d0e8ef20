/** The tables of a petstore, and their queries. */

import type { Movement } from "../domain/Movement.ts"
import type { Log } from "../engine/Table.ts"
import { accounts, apiKeys } from "./access.ts"
import { categories, pets } from "./catalogue.ts"
import { idempotencyKeys, movements, orders } from "./orders.ts"
import { consumers, messages, parkedEvents } from "./queues.ts"
import { records } from "./records.ts"
import { checkpoints, imports } from "./upkeep.ts"
import { type DeliveryRecord, deliveries, webhooks } from "./webhooks.ts"

export * from "./access.ts"
export * from "./catalogue.ts"
export * from "./events.ts"
export * from "./orders.ts"
export * from "./queues.ts"
export * from "./records.ts"
export * from "./upkeep.ts"
export * from "./webhooks.ts"

/** The ledger, as commands add to it. */
export const ledger: Log<Movement> = { name: "movements", rows: [] }

/** Deliveries that are added, which the store gives ids. */
export const newDeliveries: Log<DeliveryRecord> = { name: "deliveries", rows: [] }

/** The tables by their names, but the log of events. A table refers only to tables before it. */
export const schema = {
  accounts,
  apiKeys,
  categories,
  pets,
  orders,
  records,
  movements,
  checkpoints,
  messages,
  idempotency: idempotencyKeys,
  imports,
  consumers,
  parkedEvents,
  webhooks,
  deliveries
} as const
