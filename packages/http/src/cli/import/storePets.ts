import { nameKey, type PetstoreError } from "@petstore/core/domain"
import type { Command } from "@petstore/core/kernel"
import { type Call, createCategory, createPets, setStocks } from "@petstore/core/runtime"
import { categoriesByName } from "@petstore/core/tables"
import type { PetRow } from "./PetRow.ts"

/** Stores pets with their quantities, and the categories that do not exist yet. Returns how many categories it created. */
export function* storePets(call: Call, rows: ReadonlyArray<PetRow>): Command<number, PetstoreError> {
  const ids = new Map<string, number>()
  let created = 0
  for (const { category: name } of rows) {
    if (ids.has(name)) continue
    const existing = yield* call.tx.first(categoriesByName, nameKey(name))
    if (existing === undefined) created++
    ids.set(name, existing?.category.id ?? (yield* createCategory(call, { name })).id)
  }
  if (rows.length === 0) return created
  const pets = yield* createPets(
    call,
    rows.map(({ category, name, status }) => {
      const pet = { name, categoryId: ids.get(category) ?? 0 }
      return status === undefined ? pet : { ...pet, status }
    })
  )
  const counts = rows.flatMap(({ quantity }, index) => {
    const petId = pets[index]?.id
    return quantity === undefined || petId === undefined ? [] : [{ petId, quantity }]
  })
  if (counts.length > 0) yield* setStocks(call, counts)
  return created
}
