/** Categories and pets. */

import { nameKey } from "../../domain/Text.ts"
import { statusOf } from "../../inventory/Stock.ts"
import { compare } from "../Finding.ts"
import { inBounds } from "../Ledger.ts"
import type { Rule } from "../Rule.ts"

export const petRules: ReadonlyArray<Rule> = [
  {
    name: "category_names",
    demands: "No two categories have the same name, ignoring case and the encoding of characters.",
    check: {
      category: ({ found, record: { category, deleted, nameKey: key } }) => {
        const { id: categoryId, name } = category
        if (key !== nameKey(name)) return { categoryId, name, comparedAs: key }
        return deleted || found?.category.id === categoryId || { categoryId, name, sameAs: found?.category.id ?? null }
      }
    }
  },
  {
    name: "stock_in_bounds",
    demands:
      "A pet has at least as many units on hand as are reserved, neither is below zero, and only a pet with units on hand is held.",
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
