import { about, change, changeOf, type Fault, withData, written } from "./Fault.ts"

/** Faults of categories, pets and their stock. */
export const petFaults: ReadonlyArray<Fault> = [
  {
    given: "two categories whose names differ only in case",
    damage: {
      categories: change(
        ({ category }) => category.id === 2,
        (row) => ({ ...row, category: { ...row.category, name: "DOGS" }, nameKey: "dogs" })
      ),
      events: change(about("categories/2"), withData({ name: "DOGS" }))
    },
    found: {
      category_names: [{ categoryId: 2, name: "DOGS", sameAs: 1 }],
      idempotency_results: [
        { accountId: 0, key: "cats", operation: "categories.create", name: { found: "Cats", expected: "DOGS" } }
      ]
    }
  },
  {
    given: "a category that is compared by the wrong form of its name",
    damage: {
      categories: change(
        ({ category }) => category.id === 2,
        (row) => ({ ...row, nameKey: "Cats" })
      )
    },
    found: { category_names: [{ categoryId: 2, name: "Cats", comparedAs: "Cats" }] }
  },
  {
    given: "a category whose row is lost",
    damage: { categories: (rows) => rows.filter(({ category }) => category.id !== 3) },
    found: { events_replay_categories: [{ subject: "categories/3", problem: "there is no such row" }] }
  },
  {
    given: "a pet whose row is lost",
    damage: { pets: (rows) => rows.filter(({ id }) => id !== 3) },
    found: {
      one_status: [{ petId: 3, listed: "sold" }],
      movements_known: [{ ...written(3, 1), kind: "initial", deltaOnHand: 0, deltaReserved: 0 }],
      events_replay_pets: [{ subject: "pets/3", problem: "there is no such row" }],
      events_replay_inventory: [{ subject: "inventory/3", problem: "there is no such row" }]
    }
  },
  {
    given: "a pet with more units reserved than on hand",
    damage: { pets: changeOf(5, (pet) => ({ ...pet, stock: { onHand: 4, reserved: 5, held: false } })) },
    found: {
      stock_in_bounds: [{ petId: 5, onHand: 4, reserved: 5, held: false }],
      reserved_for_open_orders: [{ petId: 5, reserved: { found: 5, expected: 1 } }],
      ledger_adds_up: [{ petId: 5, reserved: { found: 5, expected: 1 } }],
      events_replay_inventory: [{ subject: "inventory/5", reserved: { found: 5, expected: 1 } }]
    }
  },
  {
    given: "a sold pet that is held",
    damage: { pets: changeOf(3, (pet) => ({ ...pet, stock: { ...pet.stock, held: true } })) },
    found: {
      stock_in_bounds: [{ petId: 3, onHand: 0, reserved: 0, held: true }],
      ledger_adds_up: [{ petId: 3, held: { found: true, expected: false } }],
      events_replay_inventory: [{ subject: "inventory/3", held: { found: true, expected: false } }]
    }
  },
  {
    given: "a pet that is listed under no status",
    damage: { petIdsBy: (pets) => pets.filter(({ id }) => id !== 2) },
    found: { one_status: [{ petId: 2, listed: { found: null, expected: "pending" } }] }
  },
  {
    given: "a pet that is listed twice",
    damage: { petIdsBy: (pets) => pets.flatMap((pet) => (pet.id === 2 ? [pet, pet] : [pet])) },
    found: { one_status: [{ petId: 2, listed: { found: "several", expected: "pending" } }] }
  },
  {
    given: "a deleted pet with stock",
    damage: { pets: changeOf(4, (pet) => ({ ...pet, stock: { onHand: 1, reserved: 0, held: false } })) },
    found: {
      deleted_pets_empty: [{ petId: 4, onHand: 1, reserved: 0, held: false }],
      ledger_adds_up: [{ petId: 4, onHand: { found: 1, expected: 0 } }],
      events_replay_inventory: [{ subject: "inventory/4", onHand: { found: 1, expected: 0 } }]
    }
  },
  {
    given: "a pet of a deleted category",
    damage: {
      pets: changeOf(3, (pet) => ({ ...pet, categoryId: 3 })),
      events: change(about("pets/3"), withData({ categoryId: 3 }))
    },
    found: { pet_categories: [{ petId: 3, categoryId: 3 }] }
  }
]
