import { nameKey, type PetstoreError, StorageBusy } from "@petstore/core/domain"
import { Petstore, Storage, type StorageError } from "@petstore/core/effect"
import type { Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { PetRow } from "./PetRow.ts"

/** The result of storing a batch. */
export interface Stored {
  /** For each row why it was rejected; undefined if it was stored. */
  readonly refusals: ReadonlyArray<string | undefined>
  /** How many categories were created. */
  readonly categories: number
}

/** Stores pets in one transaction. A rejected row does not affect the others. `record` runs in the same transaction. */
export type StorePets = <A, E>(
  rows: ReadonlyArray<PetRow>,
  record: (stored: Stored) => Effect.Effect<A, E | StorageError, Transaction>
) => Effect.Effect<A, E | StorageError>

const isBusy = (error: unknown): boolean => error instanceof StorageBusy

const isStorageError = (error: PetstoreError): error is StorageError => error.status >= 500

/** Makes the function that stores batches of pets. */
export const makePetStore = Effect.gen(function* (): Effect.fn.Return<StorePets, never, Petstore | Storage> {
  const petstore = yield* Petstore
  const { categories } = yield* Storage
  /** The ids of committed categories by the keys of their names. */
  const known = new Map<string, number>()

  const storePet = ({ name, quantity, status }: PetRow, categoryId: number) =>
    petstore.transaction(
      Effect.gen(function* () {
        const pet = yield* petstore.pets.create({ name, categoryId, ...(status === undefined ? {} : { status }) })
        if (quantity !== undefined) yield* petstore.inventory.set(pet.id, quantity)
      })
    )

  const storeAll = (rows: ReadonlyArray<PetRow>) =>
    Effect.gen(function* () {
      const ids = new Map<string, number>()
      let created = 0

      const findOrCreate = (name: string) =>
        Effect.gen(function* () {
          const found = yield* categories.findByName(nameKey(name))
          if (found !== undefined) return found.category.id
          const { id } = yield* petstore.categories.create({ name })
          created++
          return id
        })
      const storeInNamed = (row: PetRow) =>
        Effect.flatMap(findOrCreate(row.category), (id) => {
          ids.set(nameKey(row.category), id)
          return storePet(row, id)
        })
      const storeRow = (row: PetRow) => {
        const key = nameKey(row.category)
        const id = ids.get(key) ?? known.get(key)
        return id === undefined
          ? storeInNamed(row)
          : // Another process may have deleted the category.
            Effect.catchTag(storePet(row, id), "UnknownCategory", () => storeInNamed(row))
      }

      const refusals = yield* Effect.forEach(rows, (row) =>
        storeRow(row).pipe(
          Effect.as(undefined),
          Effect.catch((error) => (isStorageError(error) ? Effect.fail(error) : Effect.succeed(error.message)))
        )
      )
      return { ids, stored: { refusals, categories: created } }
    })

  return (rows, record) =>
    petstore
      .transaction(
        Effect.flatMap(storeAll(rows), ({ ids, stored }) => Effect.map(record(stored), (value) => ({ ids, value })))
      )
      .pipe(
        Effect.retry({ while: isBusy, times: 3 }),
        Effect.map(({ ids, value }) => {
          for (const [key, id] of ids) known.set(key, id)
          return value
        })
      )
})
