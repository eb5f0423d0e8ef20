import { nameKey, type PetstoreError, StorageBusy } from "@petstore/core/domain"
import { Petstore, Storage, type StorageError } from "@petstore/core/effect"
import { FailsWithParts, type Transaction } from "@petstore/core/ports"
import { categoriesByName } from "@petstore/core/tables"
import * as Data from "effect/Data"
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

/** A row of a batch was rejected. */
class RowRejected extends Data.TaggedError("RowRejected") {}

/** The rows of a batch that were stored, and the ids of their categories by the keys of their names. */
interface Batch {
  readonly ids: ReadonlyMap<string, number>
  readonly stored: Stored
}

/** Makes the function that stores batches of pets. */
export const makePetStore = Effect.gen(function* (): Effect.fn.Return<StorePets, never, Petstore | Storage> {
  const petstore = yield* Petstore
  const storage = yield* Storage
  /** The ids of committed categories by the keys of their names. */
  const known = new Map<string, number>()

  type ErrorOf<Method extends (...args: never) => Effect.Effect<unknown, unknown>> = Effect.Error<ReturnType<Method>>

  /** The categories that a batch uses and creates. */
  const categoriesOfBatch = () => {
    const ids = new Map<string, number>()
    let created = 0
    const findOrCreate = Effect.fnUntraced(function* (name: string) {
      const key = nameKey(name)
      const [found] = yield* storage.select(categoriesByName, key, 1)
      const id = found?.category.id ?? (yield* petstore.categories.create({ name })).id
      if (found === undefined) created++
      ids.set(key, id)
      return id
    })
    const knownId = (name: string): number | undefined => {
      const key = nameKey(name)
      return ids.get(key) ?? known.get(key)
    }
    const batchOf = (refusals: Stored["refusals"]): Batch => ({ ids, stored: { refusals, categories: created } })
    return { findOrCreate, knownId, batchOf }
  }

  const storePet = (
    { name, quantity, status }: PetRow,
    categoryId: number
  ): Effect.Effect<unknown, ErrorOf<typeof petstore.pets.create> | ErrorOf<typeof petstore.inventory.set>> => {
    const created = petstore.pets.create({ name, categoryId, ...(status === undefined ? {} : { status }) })
    return quantity === undefined
      ? created
      : petstore.transaction(Effect.flatMap(created, ({ id }) => petstore.inventory.set(id, quantity)))
  }

  /** Stores all rows, or fails with the error of one that is rejected. */
  const storeTogether = Effect.fnUntraced(function* (rows: ReadonlyArray<PetRow>) {
    const { batchOf, findOrCreate, knownId } = categoriesOfBatch()
    const categoryIds = new Map<string, number>()
    for (const { category } of rows) {
      if (!categoryIds.has(category)) {
        categoryIds.set(category, knownId(category) ?? (yield* findOrCreate(category)))
      }
    }
    if (rows.length === 0) return batchOf([])
    const created = yield* petstore.pets.createAll(
      rows.map(({ category, name, status }) => {
        const pet = { name, categoryId: categoryIds.get(category) ?? 0 }
        return status === undefined ? pet : { ...pet, status }
      })
    )
    const counts = rows.flatMap(({ quantity }, index) => {
      const petId = created[index]?.id
      return quantity === undefined || petId === undefined ? [] : [{ petId, quantity }]
    })
    if (counts.length > 0) yield* petstore.inventory.setAll(counts)
    return batchOf(rows.map(() => undefined))
  })

  /** Stores each row alone, so that a rejected one does not affect the others. */
  const storeEach = Effect.fnUntraced(function* (rows: ReadonlyArray<PetRow>) {
    const { batchOf, findOrCreate, knownId } = categoriesOfBatch()
    const storeInNamed = (row: PetRow) =>
      Effect.flatMap(findOrCreate(row.category), (categoryId) => storePet(row, categoryId))
    const storeRow = (row: PetRow) => {
      const categoryId = knownId(row.category)
      if (categoryId === undefined) return storeInNamed(row)
      // Another process may have deleted the category.
      return Effect.catchTag(storePet(row, categoryId), "UnknownCategory", () => storeInNamed(row))
    }
    const refusals = yield* Effect.forEach(rows, (row) =>
      storeRow(row).pipe(
        Effect.as(undefined),
        Effect.catch(
          (error): Effect.Effect<string, StorageError> =>
            isStorageError(error) ? Effect.fail(error) : Effect.succeed(error.message)
        )
      )
    )
    return batchOf(refusals)
  })

  return <A, E>(
    rows: ReadonlyArray<PetRow>,
    record: (stored: Stored) => Effect.Effect<A, E | StorageError, Transaction>
  ) => {
    const storing = <E2>(batch: Effect.Effect<Batch, E2>) =>
      petstore.transaction(
        Effect.flatMap(batch, ({ ids, stored }) => Effect.map(record(stored), (value) => ({ ids, value })))
      )
    const together = Effect.mapError(storeTogether(rows), (error) =>
      isStorageError(error) ? error : new RowRejected()
    )
    // Nearly all batches have no rejected row, so no row of them must be rolled back alone.
    return Effect.provideService(storing(together), FailsWithParts, true).pipe(
      Effect.catchIf(
        (error): error is RowRejected => error instanceof RowRejected,
        () => storing(storeEach(rows))
      ),
      Effect.retry({ while: isBusy, times: 3 }),
      Effect.map(({ ids, value }) => {
        for (const [key, id] of ids) known.set(key, id)
        return value
      })
    )
  }
})
