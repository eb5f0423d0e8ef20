import type { Account } from "@petstore/core"
import { AccountNameTaken, CategoryNameTaken, type Movement } from "@petstore/core/domain"
import type { Query, Table } from "@petstore/core/engine"
import type {
  ApiKeyRecord,
  CategoryRecord,
  DeliveryRecord,
  OrderRecord,
  ParkedEventRecord,
  PetRecord
} from "@petstore/core/ports"
import { tables } from "@petstore/core/services"

/** Values that two live rows of a table cannot share. */
interface UniqueName<Row> {
  readonly query: Query<Row, string>
  readonly nameOf: (row: Row) => string
  /** How a command fails whose row has the name of another one. */
  readonly taken: (row: Row) => CategoryNameTaken | AccountNameTaken
}

interface AccountRow {
  readonly account: Account
  readonly nameKey: string
}

const { accounts, accountsByName, categories, categoriesByName, consumers, idempotencyKeys } = tables
const { apiKeys, deliveries, messages, orders, parkedEvents, pets, webhooks } = tables

const unique = [
  {
    query: categoriesByName,
    nameOf: ({ nameKey }) => nameKey,
    taken: ({ category: { name } }) => new CategoryNameTaken({ name })
  } satisfies UniqueName<CategoryRecord>,
  {
    query: accountsByName,
    nameOf: ({ nameKey }) => nameKey,
    taken: ({ account: { name } }) => new AccountNameTaken({ name })
  } satisfies UniqueName<AccountRow>
]

type Reference = readonly [table: string, key: number | string | undefined]

/**
 * What the rows of a table or a log refer to. To write a row locks what it refers to against removal and a new key alone. Commands do
 * neither, except to consumers, which are locked when a parked event is written, so that nobody ever waits for these locks.
 */
const references = {
  pets: ({ categoryId }: PetRecord): ReadonlyArray<Reference> => [["categories", categoryId]],
  orders: ({ order }: OrderRecord): ReadonlyArray<Reference> => [["pets", order.petId]],
  apiKeys: ({ key }: ApiKeyRecord): ReadonlyArray<Reference> => [["accounts", key.accountId]],
  deliveries: ({ delivery }: DeliveryRecord): ReadonlyArray<Reference> => [["webhooks", delivery.webhookId]],
  parkedEvents: ({ consumer }: ParkedEventRecord): ReadonlyArray<Reference> => [["consumers", consumer]],
  movements: ({ orderId, petId }: Movement): ReadonlyArray<Reference> => [
    ["pets", petId],
    ["orders", orderId]
  ]
}

export type AnyTable = Table<unknown, number | string>

const all = [
  accounts,
  apiKeys,
  categories,
  consumers,
  deliveries,
  idempotencyKeys,
  messages,
  orders,
  parkedEvents,
  pets,
  webhooks
]

// Tables and logs are known by their names, which types cannot follow.
const tableByName = new Map(all.map((table) => [table.name, table as unknown as AnyTable]))
const uniqueByTable = new Map(unique.map((one) => [one.query.table.name, one as unknown as UniqueName<unknown>]))
const referencesOf = references as unknown as Readonly<
  Record<string, ((row: unknown) => ReadonlyArray<Reference>) | undefined>
>

export const tableNamed = (name: string): AnyTable => {
  const table = tableByName.get(name)
  if (table === undefined) throw new Error(`The explorer does not know the table ${name}`)
  return table
}

/** A row as traces name it, such as `pets 1`. */
export const rowName = (table: string, row: unknown): string => `${table} ${tableNamed(table).keyOf(row)}`

/** Whether the lock of a key is taken even if it has no row. */
export const locksMissing = (table: string): boolean => table === idempotencyKeys.name

/** The unique name of a row, if it is live and its table has one. */
export const uniqueNameOf = (table: string, row: unknown) => {
  const one = uniqueByTable.get(table)
  if (one === undefined || row === undefined || !one.query.table.isLive(row)) return undefined
  const name = one.nameOf(row)
  return { name, query: one.query, lock: `${table} named ${JSON.stringify(name)}`, taken: () => one.taken(row) }
}

/** The rows that a row of a table or a log refers to, such as `pets 1`. */
export const referencesIn = (name: string, row: unknown): ReadonlyArray<string> =>
  (referencesOf[name]?.(row) ?? []).flatMap(([table, key]) => (key === undefined ? [] : [`${table} ${key}`]))
