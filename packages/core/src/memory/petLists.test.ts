import { assert, describe, it } from "@effect/vitest"
import { aCategoryRecord, aPetRecord, aStock } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { statusOf } from "../domain/inventory/Stock.ts"
import { fail } from "../kernel/Command.ts"
import type { Transaction } from "../kernel/Transaction.ts"
import { Storage } from "../ports/Storage.ts"
import { categories as table } from "../tables/categoryTable.ts"
import { type PetQuery, type PetRecord, pets, petsBy } from "../tables/petTable.ts"
import { memory } from "./index.ts"

const categories = [1, 2, 3]

const stock = fc.constantFrom(
  { onHand: 1, reserved: 0, held: false },
  { onHand: 2, reserved: 2, held: false },
  { onHand: 2, reserved: 0, held: true },
  { onHand: 0, reserved: 0, held: false }
)

const fields = fc.record({
  name: fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 5 }),
  categoryId: fc.constantFrom(...categories),
  stock,
  deleted: fc.integer({ min: 0, max: 9 }).map((n) => n === 0)
})

const changes = fc.array(fc.record({ id: fc.integer({ min: 1, max: 300 }), fields }), {
  minLength: 300,
  maxLength: 600,
  size: "max"
})

const optional = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })

const query: fc.Arbitrary<PetQuery> = fc.record({
  status: optional(fc.constantFrom("available" as const, "pending" as const, "sold" as const)),
  categoryId: optional(fc.constantFrom(...categories, 4)),
  name: optional(fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 4 })),
  after: fc.integer({ min: 0, max: 310 }),
  afterName: optional(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 }))
})

const limit = 10

const isAfter = (pet: PetRecord, { name, after, afterName }: PetQuery) => {
  if (name === undefined) return pet.id > after
  return afterName === undefined || pet.name > afterName || (pet.name === afterName && pet.id > after)
}

const byName = (a: PetRecord, b: PetRecord) => (a.name === b.name ? a.id - b.id : a.name < b.name ? -1 : 1)

const expected = (pets: ReadonlyArray<PetRecord>, query: PetQuery) => {
  const { status, categoryId, name } = query
  return pets
    .filter((pet) => !pet.deleted && isAfter(pet, query))
    .filter((pet) => status === undefined || statusOf(pet.stock) === status)
    .filter((pet) => categoryId === undefined || pet.categoryId === categoryId)
    .filter((pet) => name === undefined || pet.name.startsWith(name))
    .sort(name === undefined ? (a, b) => a.id - b.id : byName)
    .slice(0, limit)
}

const toRow = (row: typeof fields extends fc.Arbitrary<infer A> ? A : never) =>
  aPetRecord({ ...row, stock: row.deleted ? aStock({ onHand: 0 }) : row.stock, lastMovement: 0 })

describe("memoryPets", () => {
  it("given any pets and changes, kept or rolled back, every list has what a filter over all pets would return", () => {
    fc.assert(
      fc.property(changes, changes, fc.array(query, { minLength: 30, maxLength: 30 }), (kept, undone, queries) =>
        Effect.runSync(
          Effect.gen(function* () {
            const store = yield* Storage
            for (const id of categories) {
              yield* store.run(function* (tx) {
                yield* tx.insert(table, () => aCategoryRecord({ id, name: `${id}` }))
              })
            }
            const apply = function* (tx: Transaction, all: typeof kept) {
              for (const { id, fields } of all) {
                const pet = yield* tx.lock(pets, id)
                if (pet === undefined) yield* tx.insert(pets, (next) => ({ ...toRow(fields), id: next }))
                else tx.save(pets, { ...toRow(fields), id })
              }
            }
            yield* store.run((tx) => apply(tx, kept))
            const failing = store.run(function* (tx) {
              yield* apply(tx, undone)
              yield* fail("no")
            })
            yield* Effect.exit(failing)
            const all = yield* store.scan(pets, [], 1_000)
            for (const { afterName, ...rest } of queries) {
              const has = rest.name !== undefined && afterName?.startsWith(rest.name) === true
              const one = has ? { ...rest, afterName } : rest
              assert.deepStrictEqual(yield* store.select(petsBy, one, limit), expected(all, one), JSON.stringify(one))
              const many = { ...one, after: 0, afterName: undefined }
              assert.strictEqual(
                yield* store.count(petsBy, many, 1_000),
                (yield* store.select(petsBy, many, 1_000)).length
              )
            }
            assert.deepStrictEqual(yield* store.inspect, [])
          }).pipe(Effect.provide(memory().layer))
        )
      ),
      { numRuns: 30 }
    )
  })
})
