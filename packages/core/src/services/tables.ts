/** The tables that commands read and write. Rows are locked in this order, and rows of one table in ascending key. */

import { storedKeyOf } from "../domain/IdempotencyKey.ts"
import type { MessageRecord } from "../domain/MessageState.ts"
import type { Movement } from "../domain/Movement.ts"
import { orderStates } from "../domain/OrderState.ts"
import type { Log, Query, Table } from "../engine/Table.ts"
import type { ApiKeyRecord } from "../ports/ApiKeyRows.ts"
import type { CategoryRecord } from "../ports/CategoryRows.ts"
import type { EventToAppend } from "../ports/EventRows.ts"
import type { IdempotencyRecord } from "../ports/IdempotencyRows.ts"
import type { OrderRecord } from "../ports/OrderRows.ts"
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

/** The admin keys other than one that are valid at a time. No other transaction can revoke an admin key then. */
export const otherAdminKeys: Query<ApiKeyRecord, { readonly id: number; readonly at: string }> = {
  name: "otherAdminKeys",
  table: apiKeys,
  selects: ({ key: { expiresAt, id, scopes } }, other) =>
    id !== other.id && scopes.includes("admin") && (expiresAt === undefined || expiresAt > other.at)
}

export const messages: Table<MessageRecord, string> = {
  name: "messages",
  keyOf: ({ id }) => id,
  isLive: () => true
}

export const webhooks: Table<WebhookRecord> = {
  name: "webhooks",
  keyOf: ({ webhook }) => webhook.id,
  isLive: ({ deleted }) => !deleted
}

export const movements: Log<Movement> = { name: "movements", rows: [] }

export const events: Log<EventToAppend> = { name: "events", rows: [] }

/** The queries of commands, by their names. */
export const queries = { accountsByName, categoriesByName, otherAdminKeys, petsInCategory }

/** The tables, queries and logs of commands, for tools that run commands themselves. */
export const tables = {
  ...queries,
  accounts,
  apiKeys,
  categories,
  events,
  idempotencyKeys,
  messages,
  movements,
  orders,
  pets,
  webhooks
}
