import type { NewCategory, NewOrder, NewPet, Stock } from "@petstore/core/domain"

/**
 * The input of a category; say only what the test is about.
 *
 * @example
 * ```ts
 * import { aCategory } from "@petstore/testing"
 *
 * aCategory({ description: "Bark" }) // => {"name": "Dogs", "description": "Bark"}
 * ```
 */
export const aCategory = (fields: Partial<NewCategory> = {}): NewCategory => ({ name: "Dogs", ...fields })

/**
 * The input of a pet of category 1; say only what the test is about.
 *
 * @example
 * ```ts
 * import { aPet } from "@petstore/testing"
 *
 * aPet({ name: "Tom" }) // => {"name": "Tom", "categoryId": 1}
 * ```
 */
export const aPet = (fields: Partial<NewPet> = {}): NewPet => ({ name: "Rex", categoryId: 1, ...fields })

/**
 * The input of an order of one unit of pet 1; say only what the test is about.
 *
 * @example
 * ```ts
 * import { anOrder } from "@petstore/testing"
 *
 * anOrder({ quantity: 3 }) // => {"petId": 1, "quantity": 3}
 * ```
 */
export const anOrder = (fields: Partial<NewOrder> = {}): NewOrder => ({ petId: 1, quantity: 1, ...fields })

/**
 * The stock of a pet: one free unit; say only what the test is about. Made for the rules, which need no store.
 *
 * @example
 * ```ts
 * import { StockRules } from "@petstore/core/domain"
 * import { aStock } from "@petstore/testing"
 *
 * StockRules.statusOf(aStock({ onHand: 3, reserved: 3 })) // => "pending"
 * ```
 */
export const aStock = (fields: Partial<Stock> = {}): Stock => ({ onHand: 1, reserved: 0, held: false, ...fields })
