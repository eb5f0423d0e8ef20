import type { Table } from "@petstore/core/engine"
import type { Storage, StorageError, Transaction } from "@petstore/core/ports"
import { type AccountRecord, categories, ledger, movements, pets } from "@petstore/core/tables"
import { aCategoryRecord, aMovement, aPetRecord } from "@petstore/testing"
import * as Effect from "effect/Effect"

type Store = Storage["Service"]

const at = "2026-01-01T00:00:00.000Z"

/** Adds a row, with a new id if the table generates them, and returns its key; a part of a transaction. */
export const addRow = <Row, Key extends number | string>(
  store: Pick<Store, "insert" | "write">,
  table: Table<Row, Key>,
  row: Row
): Effect.Effect<Key, StorageError, Transaction> => {
  const key = table.keyOf(row)
  if (!table.generatesIds) return Effect.as(store.write([{ table: table.name, key, row, before: undefined }]), key)
  // Keys that are generated are numbers.
  const numbered = table as unknown as Table<Row>
  return Effect.map(store.insert(numbered, [(id) => numbered.withId(row, id)]), ([added]) => table.keyOf(added as Row))
}

/** Saves a row in place of another one; a part of a transaction. */
export const saveRow = <Row, Key extends number | string>(
  store: Pick<Store, "write">,
  table: Table<Row, Key>,
  row: Row,
  before: Row
): Effect.Effect<void, StorageError, Transaction> =>
  store.write([{ table: table.name, key: table.keyOf(row), row, before }])

/** A new account. */
export const anAccountRecord = (name: string): AccountRecord => ({
  account: { id: 0, name, createdAt: at },
  nameKey: name.toLowerCase()
})

/** A new category; a part of a transaction. */
export const addCategory = (store: Store, name = "Dogs") => addRow(store, categories, aCategoryRecord({ name }))

/** A new pet with its ledger entry and an event of the same name; a part of a transaction. */
export const addPet = (store: Store, categoryId: number, name = "Rex") =>
  Effect.gen(function* () {
    const id = yield* addRow(store, pets, aPetRecord({ name, categoryId, lastMovement: 1 }))
    const data = { id, name, categoryId, status: "available", version: 1 } as const
    yield* store.write([
      { log: ledger.name, rows: [aMovement({ petId: id })] },
      {
        log: "events",
        rows: [{ id: `evt_${name}`, type: "pet.created", subject: `pets/${id}`, timestamp: at, data }]
      }
    ])
    return id
  })

/** The names of the pets that are there, after checking that each has its ledger entry and its event, in order. */
export const petNames = (store: Store) =>
  store.snapshot(
    Effect.gen(function* () {
      const found = yield* store.scan(pets, [], 1_000_000)
      const moved = yield* store.scan(movements, [], 1_000_000)
      const events = yield* store.events.scan(0, 1_000_000)
      const whole =
        moved.every(({ petId }, index) => petId === found[index]?.id) &&
        events.every(({ seq, id }, index) => seq === index + 1 && id === `evt_${found[index]?.name}`) &&
        moved.length === found.length &&
        events.length === found.length
      if (!whole) return yield* Effect.die(new Error("The store has a part of a transaction"))
      return found.map(({ name }) => name)
    })
  )
