import * as Effect from "effect/Effect"
import type { Account } from "../domain/Account.ts"
import { AccountNameTaken } from "../domain/errors/AccessErrors.ts"
import { CategoryNameTaken } from "../domain/errors/PetErrors.ts"
import { readStoredKey } from "../domain/IdempotencyKey.ts"
import type { MessageRecord } from "../domain/MessageState.ts"
import type { Movement } from "../domain/Movement.ts"
import { sameDetails } from "../domain/Pet.ts"
import { statusOf } from "../domain/Stock.ts"
import { nameKey } from "../domain/Text.ts"
import { eachInTurn, type StoredRows } from "../engine/runOnRows.ts"
import type { Reading } from "../engine/Transaction.ts"
import type { ApiKeyRecord } from "../ports/ApiKeyRows.ts"
import type { CategoryRecord } from "../ports/CategoryRows.ts"
import type { EventToAppend } from "../ports/EventRows.ts"
import type { IdempotencyRecord } from "../ports/IdempotencyRows.ts"
import { immediateRows } from "../ports/immediateRows.ts"
import type { OrderRecord } from "../ports/OrderRows.ts"
import type { PetRecord } from "../ports/PetRows.ts"
import type { AccountRecord } from "../ports/Restore.ts"
import type { Rows } from "../ports/Rows.ts"
import type { Duplicate, StorageError } from "../ports/StorageError.ts"
import type { Transaction } from "../ports/Transaction.ts"
import type { WebhookRecord } from "../ports/WebhookRows.ts"

type Stored<A> = Effect.Effect<A, StorageError, Transaction>

/** The calls of a table, or of a log. */
interface Calls<Row, Key extends number | string = number> {
  readonly load?: Readonly<Partial<Record<Reading, (key: Key) => Stored<Row | undefined>>>>
  readonly insert?: (rowsOf: ReadonlyArray<(id: number) => Row>) => Stored<ReadonlyArray<Row>>
  readonly save?: (row: Row, before: Row | undefined) => Stored<void>
  readonly append?: (rows: ReadonlyArray<Row>) => Stored<void>
  readonly purge?: (before: string, limit: number) => Stored<void>
}

/** More rows are added by one call. */
const fewRows = 8

const each =
  <Row>(append: (row: Row) => Stored<void>, appendAll: (rows: ReadonlyArray<Row>) => Stored<void>) =>
  (rows: ReadonlyArray<Row>): Stored<void> =>
    rows.length > fewRows ? appendAll(rows) : eachInTurn(rows, append)

/** Adds one row or several, whose ids the store returns. */
const inserted =
  <Row, New>(
    toNew: (row: Row) => New,
    insert: (row: New) => Stored<number>,
    insertAll: (rows: ReadonlyArray<New>) => Stored<ReadonlyArray<number>> = (rows) => Effect.forEach(rows, insert)
  ) =>
  (rowsOf: ReadonlyArray<(id: number) => Row>): Stored<ReadonlyArray<Row>> => {
    const [rowOf] = rowsOf
    if (rowOf !== undefined && rowsOf.length === 1) {
      return Effect.mapEager(insert(toNew(rowOf(0))), (id) => [rowOf(id)])
    }
    return Effect.map(insertAll(rowsOf.map((one) => toNew(one(0)))), (ids) =>
      rowsOf.map((one, index) => one(ids[index] as number))
    )
  }

/** Stores give a row an id of their own, whatever it has. */
const asIs = <Row>(row: Row): Row => row

const withoutId = <Row extends { readonly id: number }>({ id: _, ...row }: Row): Omit<Row, "id"> => row

const toAccountRecord = (account: Account | undefined): AccountRecord | undefined =>
  account === undefined ? undefined : { account, nameKey: nameKey(account.name) }

/** The port says only whether there is one. */
const otherAdminKey = {}

const listOf = <A>(one: A | undefined): ReadonlyArray<A> => (one === undefined ? [] : [one])

const sameButStock = (one: PetRecord, other: PetRecord): boolean =>
  one.version === other.version &&
  one.deleted === other.deleted &&
  statusOf(one.stock) === statusOf(other.stock) &&
  sameDetails(one, other)

/** Fails as the command does that looks whether a name is free: another transaction may have taken it since. */
const unlessTaken = <A>(
  call: Effect.Effect<A, Duplicate | StorageError, Transaction>,
  error: CategoryNameTaken | AccountNameTaken
): Stored<A> => Effect.catchTag(call, "Duplicate", () => Effect.fail(error)) as Stored<A>

/** The rows of a store, as commands ask for them. */
export const storedRows = (store: Rows): StoredRows<StorageError, Transaction> => {
  const { categories, events, movements, orders, pets } = immediateRows(store)
  const { accounts, apiKeys, idempotency, messages, webhooks } = store
  const calls = {
    apiKeys: { load: { find: apiKeys.find, lock: apiKeys.lock }, save: apiKeys.save } satisfies Calls<ApiKeyRecord>,
    webhooks: {
      load: { find: webhooks.find, lock: webhooks.lock },
      save: webhooks.save
    } satisfies Calls<WebhookRecord>,
    messages: {
      load: { find: messages.find, lock: messages.lock },
      save: (row, before) => (before === undefined ? messages.insert(row) : messages.save(row))
    } satisfies Calls<MessageRecord, string>,
    accounts: {
      load: { find: (id) => Effect.map(accounts.find(id), toAccountRecord) },
      insert: inserted(
        ({ account, nameKey }: AccountRecord) => ({ ...withoutId(account), nameKey }),
        (row) => unlessTaken(accounts.insert(row), new AccountNameTaken({ name: row.name }))
      )
    } satisfies Calls<AccountRecord>,
    idempotency: {
      load: {
        // That another transaction holds the key is one of the errors of `once`.
        lock: (key) => {
          const stored = readStoredKey(key)
          return idempotency.lock(stored.accountId, stored.key) as Stored<IdempotencyRecord>
        }
      },
      save: idempotency.save,
      purge: idempotency.purge
    } satisfies Calls<IdempotencyRecord, string>,
    orders: {
      load: { find: orders.find, lock: orders.lock },
      insert: inserted(asIs, orders.insert),
      save: orders.save
    } satisfies Calls<OrderRecord>,
    pets: {
      load: { find: pets.find, lock: pets.lock },
      insert: inserted(asIs, pets.insert, pets.insertAll),
      save: (row, before) => (before !== undefined && sameButStock(before, row) ? pets.saveStock(row) : pets.save(row))
    } satisfies Calls<PetRecord>,
    categories: {
      load: { find: categories.find, lock: categories.lock, lockShared: categories.lockShared },
      insert: inserted(
        ({ category, nameKey, version }: CategoryRecord) => ({ category: withoutId(category), nameKey, version }),
        (row) => unlessTaken(categories.insert(row), new CategoryNameTaken({ name: row.category.name }))
      ),
      save: (row) => unlessTaken(categories.save(row), new CategoryNameTaken({ name: row.category.name }))
    } satisfies Calls<CategoryRecord>,
    movements: { append: each(movements.append, movements.appendAll) } satisfies Calls<Movement>,
    events: { append: each(events.append, events.appendAll) } satisfies Calls<EventToAppend>
  }
  const queries: Readonly<Record<string, (argument: never, limit: number) => Stored<ReadonlyArray<unknown>>>> = {
    petsInCategory: (categoryId: number, limit: number) => pets.list({ categoryId, after: 0, limit }),
    categoriesByName: (nameKey: string) => Effect.map(categories.findByName(nameKey), listOf),
    otherAdminKeys: ({ at, id }: { readonly at: string; readonly id: number }) =>
      Effect.map(apiKeys.otherAdminExists(id, at), (exists) => (exists ? [otherAdminKey] : [])),
    accountsByName: (nameKey: string) =>
      Effect.map(accounts.findByName(nameKey), (account) => listOf(toAccountRecord(account)))
  }
  // Tables and queries are known by their names, which types cannot follow.
  const of = calls as unknown as Readonly<Record<string, Calls<never, never> | undefined>>
  return {
    load: (reading, table, key) =>
      of[table.name]?.load?.[reading]?.(key as never) ?? unknown(`${reading} ${table.name}`),
    select: ({ name }, argument, limit) =>
      (queries[name]?.(argument as never, limit) as Stored<ReadonlyArray<never>> | undefined) ?? unknown(name),
    insert: (table, rowsOf) => of[table.name]?.insert?.(rowsOf as never) ?? unknown(`insert ${table.name}`),
    write: (write) => {
      if ("table" in write)
        return of[write.table]?.save?.(write.row as never, write.before as never) ?? unknown(write.table)
      if ("log" in write) return of[write.log]?.append?.(write.rows as never) ?? unknown(write.log)
      return of[write.purge]?.purge?.(write.before, write.limit) ?? unknown(write.purge)
    }
  }
}

const unknown = (what: string): never => {
  throw new Error(`No command can ${what}`)
}
