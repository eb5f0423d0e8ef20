import { violatedMessageConstraint } from "../adapter-toolkit/constraints.ts"
import { rowProblems } from "../adapter-toolkit/withConstraints.ts"
import type { MessageRecord } from "../domain/MessageState.ts"
import type { Movement } from "../domain/Movement.ts"
import { statusOf } from "../domain/Stock.ts"
import type { Table } from "../engine/Table.ts"
import type { Saved, Source, Write } from "../engine/Transaction.ts"
import type { EventToAppend } from "../ports/EventRows.ts"
import type { OrderRecord } from "../ports/OrderRows.ts"
import type { PetRecord } from "../ports/PetRows.ts"
import type { Filters } from "./MemoryIndex.ts"
import type { MemoryTable } from "./MemoryTable.ts"
import { type Tables, withStock } from "./tables.ts"

type AnyTable = MemoryTable<number | string, object>

const unknown = (what: string): never => {
  throw new Error(`No command can use ${what}`)
}

const check = (problem: string | undefined): void => {
  if (problem !== undefined) throw new Error(problem)
}

/** The lists that queries of commands select from. Only admin keys have to be looked at one by one. */
const lists: Readonly<Record<string, { readonly filters: (argument: never) => Filters; readonly isExact: boolean }>> = {
  otherAdminKeys: { filters: () => [true], isExact: false },
  petsInCategory: { filters: (categoryId: number) => [undefined, categoryId], isExact: true },
  categoriesByName: { filters: (nameKey: string) => [nameKey], isExact: true },
  accountsByName: { filters: (nameKey: string) => [nameKey], isExact: true }
}

/** Whether every list selects and sorts two states of a pet alike. */
const sameInLists = (one: PetRecord, other: PetRecord): boolean =>
  !other.deleted &&
  one.name === other.name &&
  one.categoryId === other.categoryId &&
  statusOf(one.stock) === statusOf(other.stock)

/** The rows of a database as commands read and write them. */
export const commandRows = (tables: Tables) => {
  const { accounts, apiKeys, categories, events, idempotency, messages, movements, orders, pets, webhooks } = tables
  const problems = rowProblems(tables)
  // Tables are known by their names, which types cannot follow.
  const keyed = { accounts, apiKeys, categories, idempotency, messages, orders, pets, webhooks } as unknown as Readonly<
    Record<string, AnyTable | undefined>
  >
  const tableOf = (name: string): AnyTable => keyed[name] ?? unknown(name)

  /** Reads for one command. One runs at a time, so to read a row locks it. */
  const source = (): Source => {
    const added = new Map<string, number>()
    return {
      storesNew: false,
      load: <Row, K extends number | string>(_reading: unknown, table: Table<Row, K>, key: K) => {
        const row = tableOf(table.name).get(key) as Row | undefined
        return row === undefined || !table.isLive(row) ? undefined : row
      },
      select: ({ name, selects, table }, argument, limit) => {
        const { filters, isExact } = lists[name] ?? unknown(name)
        const most = isExact ? limit : Number.POSITIVE_INFINITY
        const listed: ReadonlyArray<unknown> = tableOf(table.name).list(filters(argument as never), 0, most)
        const found: ReadonlyArray<unknown> = listed.filter((row) => selects(row as never, argument)).slice(0, limit)
        return found as ReadonlyArray<never>
      },
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
    } else if (table === "idempotency") tableOf(table).put(row as object)
    else if (before === undefined) tableOf(table).add(row as object)
    else tableOf(table).replace(row as object)
  }

  const append = (log: string, rows: ReadonlyArray<unknown>): void => {
    if (log === "events") for (const event of rows) events.append(event as EventToAppend)
    else if (log === "movements") {
      for (const movement of rows as ReadonlyArray<Movement>) {
        check(problems.movement(movement))
        movements.append(movement.petId, movement)
      }
    } else unknown(log)
  }

  const purge = (before: string, limit: number): void => {
    const isExpired = ({ createdAt }: { readonly createdAt: string }) => createdAt < before
    for (const record of idempotency.range([], () => false, isExpired, limit)) idempotency.remove(record)
  }

  const write = (writes: ReadonlyArray<Write>): void => {
    for (const one of writes) {
      if ("table" in one) saveRow(one)
      else if ("log" in one) append(one.log, one.rows)
      else purge(one.before, one.limit)
    }
  }

  return { source, write }
}
