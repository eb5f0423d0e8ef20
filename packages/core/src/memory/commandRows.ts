import { rowProblems } from "../adapter-toolkit/withConstraints.ts"
import { claimTimes, type MessageRecord, stateProblem as violatedMessageConstraint } from "../domain/MessageState.ts"
import type { Movement } from "../domain/Movement.ts"
import { statusOf } from "../domain/Stock.ts"
import { UnknownRequest } from "../engine/Command.ts"
import type { Table } from "../engine/Table.ts"
import type { Removed, Saved, Source, Write } from "../engine/Transaction.ts"
import type { DeliveryRecord, NewDelivery } from "../ports/DeliveryRows.ts"
import type { EventToAppend } from "../ports/EventRows.ts"
import type { OrderRecord } from "../ports/OrderRows.ts"
import type { PetRecord } from "../ports/PetRows.ts"
import type { MemoryTable } from "./MemoryTable.ts"
import { addDeliveries, claimable, deliveredBefore, deliveriesOf, due, removeDelivery } from "./rows.ts"
import { type Tables, withStock } from "./tables.ts"

type AnyTable = MemoryTable<number | string, object>

const unknown = (request: string): never => {
  throw new UnknownRequest(request)
}

const check = (problem: string | undefined): void => {
  if (problem !== undefined) throw new Error(problem)
}

/** Whether every list selects and sorts two states of a pet alike. */
const sameInLists = (one: PetRecord, other: PetRecord): boolean =>
  !other.deleted &&
  one.name === other.name &&
  one.categoryId === other.categoryId &&
  statusOf(one.stock) === statusOf(other.stock)

/** The rows of a database as commands read and write them. */
export const commandRows = (tables: Tables) => {
  const {
    accounts,
    apiKeys,
    categories,
    deliveries,
    events,
    idempotency,
    messages,
    movements,
    parkedEvents,
    pets,
    webhooks
  } = tables
  const problems = rowProblems(tables)
  // Tables are known by their names, which types cannot follow.
  const keyed = tables as unknown as Readonly<Record<string, AnyTable | undefined>>
  const tableOf = (name: string): AnyTable => keyed[name] ?? unknown(`use ${name}`)
  /** Rows that a command may save without having looked for them. */
  const isReplaced = (name: string): boolean => name === "idempotency" || name === "parkedEvents"
  /** Commands make new rows of these, and return nothing of what they have read. */
  const isReadAsIs = (name: string): boolean => name === "pets" || name === "orders"

  /** At least the rows that a query selects, in its order. */
  const lists: Readonly<Record<string, (argument: never, limit: number) => ReadonlyArray<unknown>>> = {
    petsInCategory: (categoryId: number, limit) => pets.list([undefined, categoryId], 0, limit),
    categoriesByName: (nameKey: string, limit) => categories.list([nameKey], 0, limit),
    accountsByName: (nameKey: string, limit) => accounts.list([nameKey], 0, limit),
    claimableMessages: (now: string, limit) => claimable(messages, { ...claimTimes(now), limit }),
    parkedEventsOf: (consumer: string, limit) => parkedEvents.list([consumer, undefined], "", limit),
    endpoints: (after: number, limit) => webhooks.list([], after, limit),
    dueDeliveries: (query: { readonly webhookId: number; readonly at: string }, limit) =>
      due(deliveries, query.webhookId, query.at, limit),
    leasedDeliveries: ({ webhookId }: { readonly webhookId: number }) =>
      deliveries.list([webhookId, "pending", true, undefined], 0, Number.POSITIVE_INFINITY),
    pendingDeliveries: ({ subject, webhookId }: { readonly webhookId: number; readonly subject: string }, limit) =>
      deliveries.list([webhookId, "pending", undefined, subject], 0, limit),
    deliveriesOfEvents: (query: { readonly webhookId: number; readonly after: number }, limit) =>
      deliveriesOf(tables, query.webhookId, query.after, limit),
    deliveredMessages: (before: string, limit) => deliveredBefore(messages, before, limit),
    otherAdminKeys: () => apiKeys.list([true], 0, Number.POSITIVE_INFINITY)
  }

  /** Reads for one command. One runs at a time, so to read a row locks it. */
  const source = (): Source => {
    const added = new Map<string, number>()
    const select: Source["select"] = ({ name, selects }, argument, limit) => {
      const listed = lists[name] ?? unknown(`select ${name}`)
      const found: ReadonlyArray<unknown> = listed(argument as never, limit).filter((row) =>
        selects(row as never, argument)
      )
      const page: ReadonlyArray<unknown> = found.slice(0, limit)
      return page as ReadonlyArray<never>
    }
    return {
      storesNew: false,
      load: <Row, K extends number | string>(_reading: unknown, { isLive, name }: Table<Row, K>, key: K) => {
        const table = tableOf(name)
        const row = (isReadAsIs(name) ? table.get(key) : table.find(key)) as Row | undefined
        return row === undefined || !isLive(row) ? undefined : row
      },
      select,
      count: (query, argument, limit) => (select(query, argument, limit) as ReadonlyArray<unknown>).length,
      claim: select,
      scan: ({ name }, after, limit) => {
        if (name !== "events") return unknown(`scan ${name}`)
        const found: ReadonlyArray<unknown> = events.list(after, limit)
        return found as ReadonlyArray<never>
      },
      last: ({ name }) => (name === "events" ? events.last : unknown(`see the end of ${name}`)),
      insert: ({ name }, rowsOf) => {
        const last = added.get(name) ?? Number(tableOf(name).lastKey ?? 0)
        added.set(name, last + rowsOf.length)
        return rowsOf.map((rowOf, index) => rowOf(last + 1 + index))
      }
    }
  }

  const saveRow = ({ before, row, table }: Saved): void => {
    if (table === "pets") check(problems.pet(row as PetRecord))
    else if (table === "orders") check(problems.order(row as OrderRecord))
    else if (table === "messages") check(violatedMessageConstraint(row as MessageRecord))
    if (table === "pets" && before !== undefined && sameInLists(before as PetRecord, row as PetRecord)) {
      pets.replaceAlike(withStock(row as PetRecord, row as PetRecord))
    } else if (isReplaced(table)) tableOf(table).put(row as object)
    else if (before === undefined) tableOf(table).add(row as object)
    else tableOf(table).replace(row as object)
  }

  const removeRow = ({ remove, row }: Removed): void => {
    if (remove === "deliveries") removeDelivery(tables, row as DeliveryRecord)
    else tableOf(remove).remove(row as object)
  }

  const append = (log: string, rows: ReadonlyArray<unknown>): void => {
    if (log === "events") for (const event of rows) events.append(event as EventToAppend)
    else if (log === "deliveries") addDeliveries(tables, rows as ReadonlyArray<NewDelivery>)
    else if (log === "movements") {
      for (const movement of rows as ReadonlyArray<Movement>) {
        check(problems.movement(movement))
        movements.append(movement.petId, movement)
      }
    } else unknown(`append to ${log}`)
  }

  const purge = (before: string, limit: number): void => {
    const isExpired = ({ createdAt }: { readonly createdAt: string }) => createdAt < before
    for (const record of idempotency.range([], () => false, isExpired, limit)) idempotency.remove(record)
  }

  const write = (writes: ReadonlyArray<Write>): void => {
    for (const one of writes) {
      if ("table" in one) saveRow(one)
      else if ("log" in one) append(one.log, one.rows)
      else if ("remove" in one) removeRow(one)
      else purge(one.before, one.limit)
    }
  }

  return { source, write }
}
