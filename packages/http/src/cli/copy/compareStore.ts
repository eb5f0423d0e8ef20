import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { eachPage, type OnRows, type PartDigest, pageSize } from "./copyStore.ts"
import type { WholeStore } from "./Part.ts"

const rangeOf = (page: number, rows: number): string =>
  `rows ${page * pageSize + 1} to ${Math.min((page + 1) * pageSize, rows)}`

/** Where a part of a store differs from these digests of another one, in words; undefined if it is the same. */
const differenceOf = (expected: PartDigest, found: PartDigest): string | undefined => {
  const { name } = expected.part
  const page = expected.pages.findIndex((digest, index) => digest !== found.pages[index])
  if (page !== -1) return `${name}: ${rangeOf(page, expected.rows)} differ`
  return found.rows === expected.rows ? undefined : `${name}: ${found.rows} rows instead of ${expected.rows}`
}

/** Reads all of a store, and returns where it differs from these digests of another one. */
export const compareStore = (
  store: WholeStore,
  digests: ReadonlyArray<PartDigest>,
  onRows: OnRows
): Effect.Effect<ReadonlyArray<string>, StorageError> =>
  Effect.map(
    Effect.forEach(digests, (expected) =>
      Effect.map(
        eachPage(store, expected.part, (records) => Effect.sync(() => onRows(records.length))),
        (found) => differenceOf(expected, found)
      )
    ),
    (differences) => differences.filter((difference) => difference !== undefined)
  )
