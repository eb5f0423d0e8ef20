/** Categories, and pets with their stock. */

import * as Effect from "effect/Effect"
import { PetStatus, statusOf } from "../../domain/inventory/Stock.ts"
import { orderStates } from "../../domain/orders/OrderState.ts"
import { nameKey } from "../../domain/Text.ts"
import type { Value } from "../../kernel/Table.ts"
import { type CategoryRecord, categoriesByName } from "../../tables/categoryTable.ts"
import { categories, movements, petIdsBy, pets } from "../../tables/index.ts"
import type { PetRecord } from "../../tables/petTable.ts"
import { eachIn, nextOf, type Range, type Source, sourceOf } from "./Buckets.ts"
import { compare } from "./Finding.ts"
import { emptyLedger, inBounds, type Ledger, ledgerAfter, stockAfter } from "./Ledger.ts"
import { checkIds, type Pass, recordRows, type VerifiedStore } from "./Pass.ts"
import { eachRow, positionIn } from "./pages.ts"
import type { Rule } from "./Report.ts"

export const petRules: ReadonlyArray<Rule> = [
  {
    name: "category_names",
    demands: "No two categories have the same name, ignoring case and encoding.",
    check: {
      category: ({ byName, record: { category, deleted, nameKey: key } }) => {
        const { id: categoryId, name } = category
        if (key !== nameKey(name)) return { categoryId, name, comparedAs: key }
        return (
          deleted || byName?.category.id === categoryId || { categoryId, name, sameAs: byName?.category.id ?? null }
        )
      }
    }
  },
  {
    name: "stock_in_bounds",
    demands:
      "The reserved units of a pet are at most those on hand, neither is below zero, and only a pet with units on hand is held.",
    check: {
      pet: ({ record: { id: petId, stock } }) =>
        (inBounds(stock) && (!stock.held || stock.onHand > 0)) || {
          petId,
          onHand: stock.onHand,
          reserved: stock.reserved,
          held: stock.held
        }
    }
  },
  {
    name: "one_status",
    demands: "A pet is listed under the one status that its stock gives, and a deleted pet under none.",
    check: {
      listing: ({ listed, petId, record }) => {
        if (record === undefined) return { petId, listed }
        const expected = record.deleted ? undefined : statusOf(record.stock)
        return listed === expected || compare({ petId }, { listed }, { listed: expected })
      }
    }
  },
  {
    name: "deleted_pets_empty",
    demands: "A deleted pet has no stock.",
    check: {
      pet: ({ record: { deleted, id: petId, stock } }) => {
        const { held, onHand, reserved } = stock
        if (!deleted) return undefined
        return (onHand === 0 && reserved === 0 && !held) || { petId, onHand, reserved, held }
      }
    }
  },
  {
    name: "pet_categories",
    demands: "The category of a pet exists. It may be deleted only if the pet is.",
    check: {
      petOfCategory: ({ category, categoryId, deleted, petId }) =>
        (category !== undefined && (!category.deleted || deleted)) || { petId, categoryId }
    }
  }
]

/** The status in whose list each pet of a range is. */
const listedStatuses = Effect.fnUntraced(function* (store: VerifiedStore, range: Range) {
  const statuses = new Map<number, PetStatus | "several">()
  for (const status of PetStatus.literals) {
    const listed: Source<{ readonly id: number }> = {
      fetch: (after, limit) => store.select(petIdsBy, { status, after }, limit),
      idOf: ({ id }) => id
    }
    yield* eachIn(listed, range, ({ id }) => statuses.set(id, statuses.has(id) ? "several" : status))
  }
  return statuses
})

/** Checks pets with their stock: their movements, events and open orders, and the lists that they are in. */
export const verifyPets = (pass: Pass) => {
  const { buckets, log, nextNoted, note, report, results, store, takeFacts } = pass
  const records = recordRows(pass, "pets")
  const checkId = checkIds(report, "pets")
  const [checkPet, checkListing, checkMovement] = [report.on("pet"), report.on("listing"), report.on("movement")]
  const [checkOrderOfPet, checkTimes] = [report.on("orderOfPet"), report.on("times")]
  const rows = sourceOf(store, pets)
  const nextMovement = (after: number) =>
    Effect.map(store.scan(movements, [after, Number.POSITIVE_INFINITY], 1), ([one]) => one?.petId)

  return buckets.each(
    [nextOf(rows), nextMovement, records.next],
    nextNoted("pets"),
    Effect.fnUntraced(function* (range) {
      const byId = new Map<number, PetRecord>()
      const ledgers = new Map<number, Ledger>()
      const openUnits = new Map<number, number>()

      yield* eachIn(rows, range, (pet) => {
        checkId(pet.id)
        byId.set(pet.id, pet)
      })
      yield* records.read(range)
      const statuses = yield* listedStatuses(store, range)
      yield* eachRow(
        (after, limit) => store.scan(movements, after, limit),
        [range.after, Number.POSITIVE_INFINITY] as ReadonlyArray<Value>,
        positionIn(movements),
        ({ petId }) => petId <= range.last,
        (movement) => {
          const { at, occurredAt, orderId, petId, seq } = movement
          checkTimes({ row: { petId, seq }, times: { at, occurredAt } })
          const before = ledgers.get(petId) ?? emptyLedger
          const after = stockAfter(before.stock, movement)
          checkMovement({ movement, before, after, pet: byId.get(petId) })
          ledgers.set(petId, ledgerAfter(before, movement, after))
          if (orderId !== undefined) {
            const { actor, deltaOnHand, deltaReserved, kind } = movement
            note("orders", orderId, ["movement", petId, seq, kind, deltaOnHand, deltaReserved, orderId, actor, at])
          }
        }
      )
      yield* takeFacts("pets", range.bucket, (fact) => {
        if (fact[0] === "orderEvent") {
          const [, seq, type, orderId, petId] = fact
          log.checkPetOf({ seq, type, orderId, petId })
        }
        if (fact[0] !== "order") return
        const [, orderId, petId, state, quantity] = fact
        checkOrderOfPet({ order: { orderId, petId, state, quantity }, pet: byId.get(petId) })
        if (orderStates[state]?.units === "reserved") openUnits.set(petId, (openUnits.get(petId) ?? 0) + quantity)
      })

      for (const record of byId.values()) {
        const { categoryId, deleted, id } = record
        checkPet({
          record,
          ledger: ledgers.get(id) ?? emptyLedger,
          openUnits: openUnits.get(id) ?? 0,
          trace: log.isSettled(record) ? ledgers.get(id)?.trace : log.traceOf(id)
        })
        checkListing({ petId: id, listed: statuses.get(id), record })
        statuses.delete(id)
        records.compare(id)
        log.comparePet(record, ledgers.get(id)?.trace)
        note("categories", categoryId, ["pet", id, deleted, categoryId])
      }
      for (const [petId, listed] of statuses) checkListing({ petId, listed, record: undefined })
      for (const part of [records, log, results]) part.finish()
    })
  )
}

/** Checks categories with their events, and the pets that belong to them. */
export const verifyCategories = (pass: Pass) => {
  const { buckets, log, nextNoted, report, results, store, takeFacts } = pass
  const records = recordRows(pass, "categories")
  const checkId = checkIds(report, "categories")
  const [check, checkPet] = [report.on("category"), report.on("petOfCategory")]
  const rows = sourceOf(store, categories)
  return buckets.each(
    [nextOf(rows), records.next],
    nextNoted("categories"),
    Effect.fnUntraced(function* (range) {
      const byId = new Map<number, CategoryRecord>()
      yield* eachIn(rows, range, (record) => {
        checkId(record.category.id)
        byId.set(record.category.id, record)
      })
      yield* records.read(range)
      yield* takeFacts("categories", range.bucket, (fact) => {
        if (fact[0] !== "pet") return
        const [, petId, deleted, categoryId] = fact
        checkPet({ petId, deleted, categoryId, category: byId.get(categoryId) })
      })
      for (const record of byId.values()) {
        const [byName] = record.deleted ? [] : yield* store.select(categoriesByName, record.nameKey, 1)
        check({ record, byName })
        records.compare(record.category.id)
        log.compareCategory(record)
      }
      records.finish()
      log.finish()
      results.finish()
    })
  )
}
