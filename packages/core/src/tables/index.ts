/** The tables of a petstore, and their queries. */

import type { Movement } from "../domain/Movement.ts"
import type { Log } from "../engine/Table.ts"
import { accounts, apiKeys } from "./access.ts"
import { categories } from "./categoryTable.ts"
import { checkpoints } from "./checkpointTable.ts"
import { consumers, parkedEvents } from "./consumerTables.ts"
import { idempotencyKeys } from "./idempotencyTable.ts"
import { imports } from "./importTable.ts"
import { messages } from "./messageTable.ts"
import { movements } from "./movementTable.ts"
import { orders } from "./orderTable.ts"
import { pets } from "./petTable.ts"
import { records } from "./records.ts"
import { type DeliveryRecord, deliveries, webhooks } from "./webhooks.ts"

export * from "./access.ts"
export * from "./categoryTable.ts"
export * from "./checkpointTable.ts"
export * from "./consumerTables.ts"
export * from "./events.ts"
export * from "./idempotencyTable.ts"
export * from "./importTable.ts"
export * from "./messageTable.ts"
export * from "./movementTable.ts"
export * from "./orderTable.ts"
export * from "./petTable.ts"
export * from "./records.ts"
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
