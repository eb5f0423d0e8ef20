import { accountRows } from "./AccountRows.ts"
import { apiKeyRows } from "./ApiKeyRows.ts"
import { categoryRows } from "./CategoryRows.ts"
import { checkpointRows } from "./CheckpointRows.ts"
import { consumerRows } from "./ConsumerRows.ts"
import { deliveryRows } from "./DeliveryRows.ts"
import { type EventFormat, eventRows } from "./EventRows.ts"
import { idempotencyRows } from "./IdempotencyRows.ts"
import { importRows } from "./ImportRows.ts"
import { messageRows } from "./MessageRows.ts"
import { movementRows } from "./MovementRows.ts"
import { orderRows } from "./OrderRows.ts"
import { parkedEventRows } from "./ParkedEventRows.ts"
import { petRows } from "./PetRows.ts"
import type { Sql } from "./Sql.ts"
import { webhookRows } from "./WebhookRows.ts"

/** Implements every row interface of the storage port on a database. */
export const rows = (sql: Sql, eventFormat?: EventFormat) => ({
  pets: petRows(sql),
  categories: categoryRows(sql),
  orders: orderRows(sql),
  movements: movementRows(sql),
  events: eventRows(sql, eventFormat),
  checkpoints: checkpointRows(sql),
  messages: messageRows(sql),
  accounts: accountRows(sql),
  apiKeys: apiKeyRows(sql),
  idempotency: idempotencyRows(sql),
  imports: importRows(sql),
  consumers: consumerRows(sql),
  parkedEvents: parkedEventRows(sql),
  webhooks: webhookRows(sql),
  deliveries: deliveryRows(sql)
})
