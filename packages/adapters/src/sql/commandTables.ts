import { readStoredKey } from "@petstore/core/domain"
import type { TableName, TableRecords } from "@petstore/core/ports"
import { toAccount } from "./AccountRows.ts"
import { toApiKey } from "./ApiKeyRows.ts"
import { toCategory } from "./CategoryRows.ts"
import { lockedRecords } from "./IdempotencyRows.ts"
import { toMessage } from "./MessageRows.ts"
import { toOrder } from "./OrderRows.ts"
import { toPet } from "./PetRows.ts"
import { type RestoredTable, restoredTables } from "./restore/tables.ts"
import type { Value } from "./Value.ts"
import { toWebhook } from "./WebhookRows.ts"

/** The key of a row, as commands name it. */
export type RowKey = number | string

/** A table whose rows commands read and write. */
export interface CommandTable extends RestoredTable<unknown> {
  /** The columns that identify a row. */
  readonly key: ReadonlyArray<string>
  /** The values of these columns. */
  readonly keyValues: (key: RowKey) => ReadonlyArray<Value>
  readonly decode: (row: never) => unknown
}

const table = <Name extends TableName>(
  name: Name,
  decode: (row: never) => TableRecords[Name],
  key: ReadonlyArray<string> = ["id"],
  keyValues: CommandTable["keyValues"] = (id) => [id]
): CommandTable => ({
  // The rows of a table are written by its columns alone, which types cannot follow.
  ...(restoredTables[name] as RestoredTable<unknown>),
  key,
  keyValues,
  decode
})

/** The tables of commands by their names, in the order of the references between them. */
export const commandTables: Readonly<Record<string, CommandTable>> = {
  accounts: table("accounts", (row: Parameters<typeof toAccount>[0] & { readonly name_key: string }) => ({
    account: toAccount(row),
    nameKey: row.name_key
  })),
  apiKeys: table("apiKeys", toApiKey),
  categories: table("categories", toCategory),
  pets: table("pets", toPet),
  orders: table("orders", toOrder),
  messages: table("messages", toMessage),
  webhooks: table("webhooks", toWebhook),
  idempotency: table("idempotency", lockedRecords.decode, ["account_id", "key"], (stored) => {
    const { accountId, key } = readStoredKey(String(stored))
    return [accountId, key]
  })
}
