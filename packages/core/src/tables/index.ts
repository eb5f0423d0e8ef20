/** The tables of a petstore, and their queries. */

import { accounts, apiKeys } from "./accessTables.ts"
import { categories } from "./categoryTable.ts"
import { consumers, parkedEvents } from "./consumerTables.ts"
import type { Log } from "../kernel/Table.ts"
import { idempotencyKeys } from "./idempotencyTable.ts"
import type { Movement } from "../domain/inventory/Movement.ts"
import { movements } from "./movementTable.ts"
import { messages } from "./messageTable.ts"
import { endings } from "./endingTable.ts"
import { orders } from "./orderTable.ts"
import { pets } from "./petTable.ts"
import { records } from "./recordTable.ts"
import { checkpoints } from "./checkpointTable.ts"
import { type DeliveryRecord, deliveries, webhooks } from "./webhookTables.ts"

export * from "./accessTables.ts"
export * from "./categoryTable.ts"
export * from "./consumerTables.ts"
export * from "./eventTable.ts"
export * from "./idempotencyTable.ts"
export * from "./movementTable.ts"
export * from "./messageTable.ts"
export * from "./endingTable.ts"
export * from "./orderTable.ts"
export * from "./petTable.ts"
export { storedWords, wordsOf } from "../domain/pets/words.ts"
export {
  type RecordsByKey,
  recordsByKey,
  type TableIndex,
  tableIndexesOf,
  type ValueQuery
} from "./listIndexes.ts"
export * from "./recordTable.ts"
export * from "./checkpointTable.ts"
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
