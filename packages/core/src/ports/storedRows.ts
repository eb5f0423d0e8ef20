import * as Effect from "effect/Effect"
import type { Account } from "../domain/Account.ts"
import { AccountNameTaken } from "../domain/errors/AccessErrors.ts"
import { CategoryNameTaken } from "../domain/errors/PetErrors.ts"
import { readStoredKey } from "../domain/IdempotencyKey.ts"
import { claimTimes, type MessageRecord } from "../domain/MessageState.ts"
import type { Movement } from "../domain/Movement.ts"
import { sameDetails } from "../domain/Pet.ts"
import { statusOf } from "../domain/Stock.ts"
import { nameKey } from "../domain/Text.ts"
import { UnknownRequest } from "../engine/Command.ts"
import { eachInTurn, type StoredRows } from "../engine/runOnRows.ts"
import type { Reading } from "../engine/Transaction.ts"
import type { ApiKeyRecord } from "./ApiKeyRows.ts"
import type { CategoryRecord } from "./CategoryRows.ts"
import type { ConsumerRecord } from "./ConsumerRows.ts"
import type { DeliveryRecord, NewDelivery } from "./DeliveryRows.ts"
import type { EventToAppend } from "./EventRows.ts"
import type { IdempotencyRecord } from "./IdempotencyRows.ts"
import { immediateRows } from "./immediateRows.ts"
import type { OrderRecord } from "./OrderRows.ts"
import type { ParkedEventRecord } from "./ParkedEventRows.ts"
import type { PetRecord } from "./PetRows.ts"
import type { AccountRecord } from "./Restore.ts"
import type { Rows } from "./Rows.ts"
import type { Duplicate, StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"
import type { WebhookRecord } from "./WebhookRows.ts"

type Stored<A> = Effect.Effect<A, StorageError, Transaction>

/** The calls of a table. */
interface Calls<Row, Key extends number | string = number> {
  readonly load?: Readonly<Partial<Record<Reading, (key: Key) => Stored<Row | undefined>>>>
  readonly insert?: (rowsOf: ReadonlyArray<(id: number) => Row>) => Stored<ReadonlyArray<Row>>
  readonly save?: (row: Row, before: Row | undefined) => Stored<void>
  readonly remove?: (row: Row) => Stored<void>
  readonly purge?: (before: string, limit: number) => Stored<void>
}

/** The calls of a log. */
interface LogCalls<Row> {
  readonly append: (rows: ReadonlyArray<Row>) => Stored<void>
  readonly scan?: (after: number, limit: number) => Stored<ReadonlyArray<unknown>>
  readonly last?: Stored<number>
}

/** The calls of a query. */
interface QueryCalls<Row, Argument> {
  readonly select?: (argument: Argument, limit: number) => Stored<ReadonlyArray<Row>>
  readonly count?: (argument: Argument, limit: number) => Stored<number>
  readonly claim?: (argument: Argument, limit: number) => Stored<ReadonlyArray<Row>>
}

/** Selects what belongs to an endpoint. */
interface OfEndpoint {
  readonly webhookId: number
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

const listOf = <A>(one: A | undefined): ReadonlyArray<A> => (one === undefined ? [] : [one])

/** Whether two states of a key differ at most in its last use. */
const sameButUse = ({ digest, key, previous, revoked }: ApiKeyRecord, other: ApiKeyRecord): boolean => {
  const { accountId, createdAt, expiresAt, name, scopes } = other.key
  return (
    digest === other.digest &&
    previous === other.previous &&
    revoked === other.revoked &&
    key.accountId === accountId &&
    key.createdAt === createdAt &&
    key.expiresAt === expiresAt &&
    key.name === name &&
    key.scopes === scopes
  )
}

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
  const { accounts, apiKeys, consumers, deliveries, idempotency, messages, parkedEvents, webhooks } = store
  const calls = {
    apiKeys: {
      load: { find: apiKeys.find, lock: apiKeys.lock },
      insert: inserted(({ key, ...record }: ApiKeyRecord) => ({ ...record, key: withoutId(key) }), apiKeys.insert),
      save: (row, before) =>
        before !== undefined && row.key.lastUsedAt !== undefined && sameButUse(row, before)
          ? apiKeys.touch(row.key.id, row.key.lastUsedAt)
          : apiKeys.save(row)
    } satisfies Calls<ApiKeyRecord>,
    webhooks: {
      load: { find: webhooks.find, lock: webhooks.lock },
      insert: inserted(
        ({ deleted: _, webhook, ...record }: WebhookRecord) => ({ ...record, webhook: withoutId(webhook) }),
        webhooks.insert
      ),
      save: webhooks.save
    } satisfies Calls<WebhookRecord>,
    deliveries: {
      load: { find: deliveries.find },
      save: deliveries.save,
      remove: ({ delivery }) => deliveries.remove(delivery)
    } satisfies Calls<DeliveryRecord>,
    messages: {
      load: { find: messages.find, lock: messages.lock },
      save: (row, before) => (before === undefined ? messages.insert(row) : messages.save(row)),
      remove: ({ id }) => messages.remove(id)
    } satisfies Calls<MessageRecord, string>,
    consumers: {
      load: { find: consumers.find, lock: consumers.lock },
      // One that another transaction has added meanwhile stays as it is.
      save: (row, before) =>
        before === undefined
          ? Effect.catchTag(consumers.insert(row), "Duplicate", () => Effect.void)
          : consumers.save(row),
      remove: ({ name }) => consumers.remove(name)
    } satisfies Calls<ConsumerRecord, string>,
    parkedEvents: {
      load: {
        find: (key) => {
          const end = key.lastIndexOf(" ")
          return parkedEvents.find({ consumer: key.slice(0, end), seq: Number(key.slice(end)) })
        }
      },
      save: parkedEvents.save,
      remove: parkedEvents.remove
    } satisfies Calls<ParkedEventRecord, string>,
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
    } satisfies Calls<CategoryRecord>
  }
  const logs = {
    movements: { append: each(movements.append, movements.appendAll) } satisfies LogCalls<Movement>,
    events: {
      append: each(events.append, events.appendAll),
      scan: events.scan,
      last: events.latest
    } satisfies LogCalls<EventToAppend>,
    deliveries: { append: deliveries.insertAll } satisfies LogCalls<NewDelivery>
  }
  const queries = {
    petsInCategory: {
      select: (categoryId, limit) => pets.list({ categoryId, after: 0, limit })
    } satisfies QueryCalls<PetRecord, number>,
    categoriesByName: {
      select: (nameKey) => Effect.map(categories.findByName(nameKey), listOf)
    } satisfies QueryCalls<CategoryRecord, string>,
    accountsByName: {
      select: (nameKey) => Effect.map(accounts.findByName(nameKey), (account) => listOf(toAccountRecord(account)))
    } satisfies QueryCalls<AccountRecord, string>,
    claimableMessages: {
      claim: (now, limit) => messages.lockClaimable({ ...claimTimes(now), limit })
    } satisfies QueryCalls<MessageRecord, string>,
    deliveredMessages: { claim: messages.lockDelivered } satisfies QueryCalls<MessageRecord, string>,
    parkedEventsOf: {
      select: (consumer, limit) => parkedEvents.list(consumer, 0, limit)
    } satisfies QueryCalls<ParkedEventRecord, string>,
    endpoints: { select: webhooks.list } satisfies QueryCalls<WebhookRecord, number>,
    dueDeliveries: {
      select: ({ at, webhookId }, limit) => deliveries.due(webhookId, at, limit)
    } satisfies QueryCalls<DeliveryRecord, OfEndpoint & { readonly at: string }>,
    leasedDeliveries: {
      count: ({ after, through, webhookId }) =>
        Effect.flatMap(deliveries.leased(webhookId, through), (later) =>
          Effect.map(deliveries.leased(webhookId, after), (all) => all - later)
        )
    } satisfies QueryCalls<DeliveryRecord, OfEndpoint & { readonly after: string; readonly through: string }>,
    pendingDeliveries: {
      select: ({ subject, webhookId }, limit) => deliveries.pending(webhookId, subject, limit)
    } satisfies QueryCalls<DeliveryRecord, OfEndpoint & { readonly subject: string }>,
    deliveriesOfEvents: {
      select: ({ after, webhookId }, limit) => deliveries.ofEvents(webhookId, after, limit)
    } satisfies QueryCalls<DeliveryRecord, OfEndpoint & { readonly after: number }>,
    otherAdminKeys: {
      count: ({ at, id }) => Effect.map(apiKeys.otherAdminExists(id, at), Number)
    } satisfies QueryCalls<ApiKeyRecord, { readonly id: number; readonly at: string }>
  }
  // Tables, logs and queries are known by their names, which types cannot follow.
  type Of<C> = Readonly<Record<string, C | undefined>>
  const of = calls as unknown as Of<Calls<never, never>>
  const logOf = logs as unknown as Of<LogCalls<never>>
  const queryOf = queries as unknown as Of<QueryCalls<never, never>>
  return {
    load: (reading, { name }, key) => of[name]?.load?.[reading]?.(key as never) ?? unknown(`${reading} ${name}`),
    select: ({ name }, argument, limit) =>
      queryOf[name]?.select?.(argument as never, limit) ?? unknown(`select ${name}`),
    count: ({ name }, argument, limit) => queryOf[name]?.count?.(argument as never, limit) ?? unknown(`count ${name}`),
    claim: ({ name }, argument, limit) => queryOf[name]?.claim?.(argument as never, limit) ?? unknown(`claim ${name}`),
    scan: ({ name }, after, limit) =>
      (logOf[name]?.scan?.(after, limit) as Stored<ReadonlyArray<never>> | undefined) ?? unknown(`scan ${name}`),
    last: ({ name }) => logOf[name]?.last ?? unknown(`see the end of ${name}`),
    insert: ({ name }, rowsOf) => of[name]?.insert?.(rowsOf as never) ?? unknown(`insert ${name}`),
    write: (write) => {
      if ("table" in write) {
        return of[write.table]?.save?.(write.row as never, write.before as never) ?? unknown(`save ${write.table}`)
      }
      if ("log" in write) return logOf[write.log]?.append(write.rows as never) ?? unknown(`append to ${write.log}`)
      if ("remove" in write) return of[write.remove]?.remove?.(write.row as never) ?? unknown(`remove ${write.remove}`)
      return of[write.purge]?.purge?.(write.before, write.limit) ?? unknown(`purge ${write.purge}`)
    }
  }
}

const unknown = (request: string): never => {
  throw new UnknownRequest(request)
}
