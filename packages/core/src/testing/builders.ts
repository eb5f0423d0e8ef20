import type { NewCategory } from "../domain/Category.ts"
import type { NewOrder } from "../domain/Order.ts"
import type { NewPet } from "../domain/Pet.ts"
import type { Stock } from "../domain/Stock.ts"

/** The input of a category; say only what the test is about. */
export const aCategory = (fields: Partial<NewCategory> = {}): NewCategory => ({ name: "Dogs", ...fields })

/** The input of a pet of category 1; say only what the test is about. */
export const aPet = (fields: Partial<NewPet> = {}): NewPet => ({ name: "Rex", categoryId: 1, ...fields })

/** The input of an order of one unit of pet 1; say only what the test is about. */
export const anOrder = (fields: Partial<NewOrder> = {}): NewOrder => ({ petId: 1, quantity: 1, ...fields })

/** The stock of a pet: one free unit; say only what the test is about. */
export const aStock = (fields: Partial<Stock> = {}): Stock => ({ onHand: 1, reserved: 0, held: false, ...fields })
