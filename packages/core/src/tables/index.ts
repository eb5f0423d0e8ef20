/** The tables of a petstore, and their queries. */

import { accounts, apiKeys } from "../access/accessTables.ts"
import { categories } from "../categories/categoryTable.ts"
import { consumers, parkedEvents } from "../consumers/consumerTables.ts"
import type { Log } from "../engine/Table.ts"
import { idempotencyKeys } from "../idempotency/idempotencyTable.ts"
import type { Movement } from "../inventory/Movement.ts"
import { movements } from "../inventory/movementTable.ts"
import { messages } from "../messages/messageTable.ts"
import { endings } from "../orders/endingTable.ts"
import { orders } from "../orders/orderTable.ts"
import { pets } from "../pets/petTable.ts"
import { records } from "../records/recordTable.ts"
import { checkpoints } from "../retention/checkpointTable.ts"
import { type DeliveryRecord, deliveries, webhooks } from "../webhooks/webhookTables.ts"

export * from "../access/accessTables.ts"
export * from "../categories/categoryTable.ts"
export * from "../consumers/consumerTables.ts"
export * from "../events/eventTable.ts"
export * from "../idempotency/idempotencyTable.ts"
export * from "../inventory/movementTable.ts"
export * from "../messages/messageTable.ts"
export * from "../orders/endingTable.ts"
export * from "../orders/orderTable.ts"
export * from "../pets/petTable.ts"
export { storedWords, wordsOf } from "../pets/words.ts"
export {
  type RecordsByKey,
  recordsByKey,
  type TableIndex,
  tableIndexesOf,
  type ValueQuery
} from "../records/listIndexes.ts"
export * from "../records/recordTable.ts"
export * from "../retention/checkpointTable.ts"
export * from "../webhooks/webhookTables.ts"

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
