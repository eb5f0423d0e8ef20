import { nameKey, type PetstoreError, StorageBusy } from "@petstore/core/domain"
import { Petstore, Storage, type StorageError } from "@petstore/core/effect"
import { FailsWithParts, type Transaction } from "@petstore/core/ports"
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

/** How the rows of a batch are stored. */
interface Mode<E> {
  /** Makes the reason of the error of a rejected row, or fails. */
  readonly onRejected: (error: PetstoreError) => Effect.Effect<string, E>
  /** Whether a row is stored again if its category is gone: another process may have deleted it. */
  readonly looksAgain: boolean
}

const allOrNone: Mode<RowRejected> = { onRejected: () => Effect.fail(new RowRejected()), looksAgain: false }
const eachAlone: Mode<never> = { onRejected: ({ message }) => Effect.succeed(message), looksAgain: true }

/** Makes the function that stores batches of pets. */
export const makePetStore = Effect.gen(function* (): Effect.fn.Return<StorePets, never, Petstore | Storage> {
  const petstore = yield* Petstore
  const { categories } = yield* Storage
  /** The ids of committed categories by the keys of their names. */
  const known = new Map<string, number>()

  type ErrorOf<Method extends (...args: never) => Effect.Effect<unknown, unknown>> = Effect.Error<ReturnType<Method>>

  const storePet = (
    { name, quantity, status }: PetRow,
    categoryId: number
  ): Effect.Effect<unknown, ErrorOf<typeof petstore.pets.create> | ErrorOf<typeof petstore.inventory.set>> => {
    const created = petstore.pets.create({ name, categoryId, ...(status === undefined ? {} : { status }) })
    return quantity === undefined
      ? created
      : petstore.transaction(Effect.flatMap(created, ({ id }) => petstore.inventory.set(id, quantity)))
  }

  const storeAll = <E>(rows: ReadonlyArray<PetRow>, { looksAgain, onRejected }: Mode<E>) =>
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
        if (id === undefined) return storeInNamed(row)
        const stored = storePet(row, id)
        return looksAgain ? Effect.catchTag(stored, "UnknownCategory", () => storeInNamed(row)) : stored
      }

      const refusals = yield* Effect.forEach(rows, (row) =>
        storeRow(row).pipe(
          Effect.as(undefined),
          Effect.catch(
            (error): Effect.Effect<string, E | StorageError> =>
              isStorageError(error) ? Effect.fail(error) : onRejected(error)
          )
        )
      )
      return { ids, stored: { refusals, categories: created } }
    })

  const storeBatch = <A, E, E2>(
    rows: ReadonlyArray<PetRow>,
    record: (stored: Stored) => Effect.Effect<A, E | StorageError, Transaction>,
    mode: Mode<E2>
  ) =>
    petstore.transaction(
      Effect.flatMap(storeAll(rows, mode), ({ ids, stored }) => Effect.map(record(stored), (value) => ({ ids, value })))
    )

  return <A, E>(
    rows: ReadonlyArray<PetRow>,
    record: (stored: Stored) => Effect.Effect<A, E | StorageError, Transaction>
  ) =>
    // Nearly all batches have no rejected row, so no row of them must be rolled back alone.
    Effect.provideService(storeBatch(rows, record, allOrNone), FailsWithParts, true).pipe(
      Effect.catchIf(
        (error): error is RowRejected => error instanceof RowRejected,
        () => storeBatch(rows, record, eachAlone)
      ),
      Effect.retry({ while: isBusy, times: 3 }),
      Effect.map(({ ids, value }) => {
        for (const [key, id] of ids) known.set(key, id)
        return value
      })
    )
})
