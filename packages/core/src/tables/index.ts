/** The tables of a petstore, and their queries. */

import type { Movement } from "../domain/inventory/Movement.ts"
import type { Log } from "../kernel/Table.ts"
import { accounts, apiKeys } from "./accessTables.ts"
import { categories } from "./categoryTable.ts"
import { checkpoints } from "./checkpointTable.ts"
import { consumers, parkedEvents } from "./consumerTables.ts"
import { endings } from "./endingTable.ts"
import { idempotencyKeys } from "./idempotencyTable.ts"
import { messages } from "./messageTable.ts"
import { movements } from "./movementTable.ts"
import { orders } from "./orderTable.ts"
import { pets } from "./petTable.ts"
import { records } from "./recordTable.ts"
import { type DeliveryRecord, deliveries, webhooks } from "./webhookTables.ts"

export { storedWords, wordsOf } from "../domain/pets/words.ts"
export * from "./accessTables.ts"
export * from "./categoryTable.ts"
export * from "./checkpointTable.ts"
export * from "./consumerTables.ts"
export * from "./endingTable.ts"
export * from "./eventTable.ts"
export * from "./idempotencyTable.ts"
export {
  type RecordsByKey,
  recordsByKey,
  type TableIndex,
  tableIndexesOf,
  type ValueQuery
} from "./listIndexes.ts"
export * from "./messageTable.ts"
export * from "./movementTable.ts"
export * from "./orderTable.ts"
export * from "./petTable.ts"
export * from "./recordTable.ts"
export * from "./webhookTables.ts"

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
  endings,
  records,
  movements,
  checkpoints,
  messages,
  idempotency: idempotencyKeys,
  consumers,
  parkedEvents,
  webhooks,
  deliveries
} as const
