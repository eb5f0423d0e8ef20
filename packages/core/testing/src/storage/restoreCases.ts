import type { AccessChange, Restore, RestoredRows, TableName } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { allRows, type StoreRecords } from "./allRows.ts"
import { optionalCases } from "./cases.ts"
import { wasRefused } from "./outcomes.ts"
import { randomRecords } from "./randomRecords.ts"
import { addOrder, at, digest, newAccount, newApiKey, newCategory, newEvent, newPet } from "./rows.ts"
import { type TestedStore, tables } from "./TestedStore.ts"

/** Each behind those that it refers to: a checkpoint of the log comes before its events. */
const names: ReadonlyArray<TableName> = [...tables.map(({ name }) => name as TableName), "events"]

/** How a store is filled, if it can be. */
const partOf = ({ restore }: TestedStore) => (restore === undefined ? undefined : { restore })

/** Adds records of every table, each table in a step of its own. Returns the last note. */
const addAll = Effect.fnUntraced(function* ({ step }: Restore, records: StoreRecords) {
  let note: string | undefined
  for (const table of names) {
    yield* step({ from: note, note: table, add: { table, rows: records[table] } as RestoredRows })
    note = table
  }
})

const lastOf = <A>(all: ReadonlyArray<A>): A => {
  const last = all.at(-1)
  if (last === undefined) throw new Error("There is none")
  return last
}

const rotated = (change: AccessChange, fields: Partial<{ revoked: boolean; until: string }>): AccessChange => {
  if (!("apiKey" in change)) return change
  const { apiKey, seq } = change
  const { revoked = apiKey.revoked, until } = fields
  return {
    seq: seq + 1,
    apiKey: {
      ...apiKey,
      revoked,
      ...(until === undefined ? {} : { digest: digest(9), previous: { digest: apiKey.digest, until } })
    }
  }
}

export const restoreCases = optionalCases("storage: restoring whole records", partOf, {
  *"records of every table are read as they were added, ids, versions, numbers and deleted ones included"(
    store,
    { restore }
  ) {
    const records = yield* randomRecords
    yield* Effect.andThen(addAll(restore, records), restore.finish)
    assertEqual(yield* allRows(store), records)
    const counts = names.map((name) => [name, records[name].length])
    assertEqual(yield* restore.counts, Object.fromEntries(counts))
    assertEqual(yield* store.inspect, [])
  },

  *"after a restore, new rows have ids and numbers above those of all records"(store, { restore }) {
    const records = yield* randomRecords
    yield* Effect.andThen(addAll(restore, records), restore.finish)
    const { accounts, apiKeys, categories, events, orders, pets } = records
    const categoryId = lastOf(categories).category.id
    const accountId = lastOf(accounts).account.id
    const added = yield* store.run(function* (tx) {
      yield* tx.events.append(newEvent(1))
      return {
        account: yield* tx.accounts.insert(newAccount("New")),
        key: yield* tx.apiKeys.insert(newApiKey(accountId)),
        category: yield* tx.categories.insert(newCategory("New")),
        pet: yield* tx.pets.insert(newPet(categoryId)),
        order: yield* addOrder(tx)
      }
    })
    assertEqual(added, {
      account: accountId + 1,
      key: lastOf(apiKeys).key.id + 1,
      category: categoryId + 1,
      pet: lastOf(pets).id + 1,
      order: lastOf(orders).id + 1
    })
    assertEqual(yield* store.events.latest, lastOf(events).seq + 1)
  },

  *"the note of an unfinished restore is committed with its records, and finishing removes it"(
    store,
    { openAnother, restore }
  ) {
    const { categories } = yield* randomRecords
    const add = { table: "categories", rows: categories } as const
    assertEqual(yield* restore.note, undefined)
    assertEqual(yield* restore.step({ from: "another", note: "one", add }), undefined)
    assertEqual([yield* restore.note, yield* store.categories.scan([], 10)], [undefined, []])
    assertEqual(yield* restore.step({ from: undefined, note: "one", add }), undefined)
    const another = yield* openAnother(store)
    assertEqual(yield* another.restore?.note ?? Effect.undefined, "one")
    assertEqual(yield* restore.step({ from: undefined, note: "one", add }), "one", "a step that is taken again")
    assertEqual(yield* restore.step({ from: "one", note: '{"two":"🐶"}' }), "one")
    assertEqual(yield* restore.note, '{"two":"🐶"}')
    yield* restore.finish
    assertEqual([yield* restore.note, yield* store.categories.scan([], 10)], [undefined, categories])
  },

  *"a record whose key exists is rejected, with all others of its step"(store, { restore }) {
    const { categories } = yield* randomRecords
    const add = (from: number, note: string) =>
      restore.step({
        from: note === "one" ? undefined : "one",
        note,
        add: { table: "categories", rows: categories.slice(from) }
      })
    yield* restore.step({
      from: undefined,
      note: "one",
      add: { table: "categories", rows: categories.slice(1, 2) }
    })
    wasRefused(yield* Effect.exit(add(0, "two")))
    assertEqual([yield* restore.note, yield* store.categories.scan([], 10)], ["one", categories.slice(1, 2)])
  },

  *"a log of accounts and API keys, if there is one, is the same after its changes are made again"(store, { restore }) {
    const { accessLog } = restore
    if (accessLog === undefined) return
    const { account, nameKey } = newAccount("Älice")
    const created: AccessChange = {
      seq: 2,
      apiKey: {
        ...newApiKey(7),
        key: { ...newApiKey(7, { expiresAt: at(99) }).key, id: 5 }
      }
    }
    const renewed = rotated(created, { until: at(50) })
    const changes: ReadonlyArray<AccessChange> = [
      { seq: 1, account: { account: { ...account, id: 7 }, nameKey } },
      created,
      renewed,
      rotated(renewed, { revoked: true })
    ]
    yield* restore.step({ from: undefined, note: "one", replay: changes.slice(0, 2) })
    yield* restore.step({ from: "one", note: "two", replay: changes.slice(2) })
    assertEqual(yield* accessLog.scan(0, 10), changes)
    assertEqual(yield* accessLog.scan(2, 1), changes.slice(2, 3))
    assertEqual(yield* store.accounts.scan([], 10), [{ account: { ...account, id: 7 }, nameKey }])
    assertEqual(
      yield* store.apiKeys.scan([], 10),
      changes.slice(3).flatMap((change) => ("apiKey" in change ? [change.apiKey] : []))
    )
    assertEqual(yield* store.inspect, [])
  }
})
