import { nameKey, type PetstoreError, StorageBusy } from "@petstore/core/domain"
import { Petstore, Storage, type StorageError } from "@petstore/core/effect"
import type { Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { PetRow } from "./PetRow.ts"

/** What became of a batch. */
export interface Stored {
  /** For each row why it was refused; undefined where it was not. */
  readonly refusals: ReadonlyArray<string | undefined>
  /** How many categories were made for it. */
  readonly categories: number
}

/** Stores pets in one transaction, in which a refused row takes no other with it; `record` is a part of that transaction. */
export type StorePets = <A, E>(
  rows: ReadonlyArray<PetRow>,
  record: (stored: Stored) => Effect.Effect<A, E | StorageError, Transaction>
) => Effect.Effect<A, E | StorageError>

const isBusy = (error: unknown): boolean => error instanceof StorageBusy

const isStorageError = (error: PetstoreError): error is StorageError => error.status >= 500

/** How to store batches of pets. */
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
      let made = 0

      const findOrMake = (name: string) =>
        Effect.gen(function* () {
          const found = yield* categories.findByName(nameKey(name))
          if (found !== undefined) return found.category.id
          const { id } = yield* petstore.categories.create({ name })
          made++
          return id
        })
      const storeInNamed = (row: PetRow) =>
        Effect.flatMap(findOrMake(row.category), (id) => {
          ids.set(nameKey(row.category), id)
          return storePet(row, id)
        })
      const storeRow = (row: PetRow) => {
        const key = nameKey(row.category)
        const id = ids.get(key) ?? known.get(key)
        return id === undefined
          ? storeInNamed(row)
          : // Somebody may have deleted the category since.
            Effect.catchTag(storePet(row, id), "UnknownCategory", () => storeInNamed(row))
      }

      const refusals = yield* Effect.forEach(rows, (row) =>
        storeRow(row).pipe(
          Effect.as(undefined),
          Effect.catch((error) => (isStorageError(error) ? Effect.fail(error) : Effect.succeed(error.message)))
        )
      )
      return { ids, stored: { refusals, categories: made } }
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
