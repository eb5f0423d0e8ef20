import type { Command, Table, Transaction } from "@petstore/core/kernel"
import type { Storage } from "@petstore/core/ports"
import { type AccountRecord, categories, events, ledger, movements, pets } from "@petstore/core/tables"
import { aCategoryRecord, aMovement, aPetRecord } from "@petstore/testing"
import * as Effect from "effect/Effect"

type Store = Storage["Service"]

const at = "2026-01-01T00:00:00.000Z"

/** Adds a row, with a new id if the table generates them, and returns its key; a part of a command. */
export function* addRow<Row, Key extends number | string>(
  tx: Transaction,
  table: Table<Row, Key>,
  row: Row
): Command<Key> {
  if (!table.generatesIds) {
    tx.add(table, row)
    return table.keyOf(row)
  }
  // Keys that are generated are numbers.
  const numbered = table as unknown as Table<Row>
  return table.keyOf(yield* tx.insert(numbered, (id) => numbered.withId(row, id)))
}

/** Saves a row in place of the one with its key; a part of a command. */
export function* saveRow<Row, Key extends number | string>(
  tx: Transaction,
  table: Table<Row, Key>,
  row: Row
): Command<void> {
  yield* tx.lock(table, table.keyOf(row))
  tx.save(table, row)
}

/** A new account. */
export const anAccountRecord = (name: string): AccountRecord => ({
  account: { id: 0, name, createdAt: at },
  nameKey: name.toLowerCase()
})

/** A new category; a part of a command. */
export const addCategory = (tx: Transaction, name = "Dogs") => addRow(tx, categories, aCategoryRecord({ name }))

/** A new pet with its ledger entry and an event of the same name; a part of a command. */
export function* addPet(tx: Transaction, categoryId: number, name = "Rex"): Command<number> {
  const id = yield* addRow(tx, pets, aPetRecord({ name, categoryId, lastMovement: 1 }))
  const data = { id, name, categoryId, status: "available", version: 1 } as const
  tx.append(ledger, [aMovement({ petId: id })])
  tx.append(events, [{ id: `evt_${name}`, type: "pet.created", subject: `pets/${id}`, timestamp: at, data }])
  return id
}

/** The names of the pets that are there, after checking that each has its ledger entry and its event, in order. */
export const petNames = (store: Store) =>
  store.snapshot(
    Effect.gen(function* () {
      const found = yield* store.scan(pets, [], 1_000_000)
      const moved = yield* store.scan(movements, [], 1_000_000)
      const log = yield* store.events.scan(0, 1_000_000)
      const whole =
        moved.every(({ petId }, index) => petId === found[index]?.id) &&
        log.every(({ seq, id }, index) => seq === index + 1 && id === `evt_${found[index]?.name}`) &&
        moved.length === found.length &&
        log.length === found.length
      if (!whole) return yield* Effect.die(new Error("The store has a part of a transaction"))
      return found.map(({ name }) => name)
    })
  )
