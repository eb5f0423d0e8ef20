import * as Schema from "effect/Schema"
import { PetFilter } from "./Filters.ts"
import { Id } from "./Id.ts"
import { InventoryItem } from "./InventoryItem.ts"
import { limits } from "./limits.ts"
import type { MethodInputs } from "./methodInputs.ts"
import { PetStatus, type Stock, statusOf } from "./Stock.ts"
import { line } from "./Text.ts"

/** The name of a pet: one line of 1 to 200 characters, kept trimmed and in NFC. */
export const PetName = line(limits.petName)

/** The input of a new pet. */
export const NewPet = Schema.Struct({
  name: PetName,
  categoryId: Id,
  status: Schema.optionalKey(PetStatus)
}).annotate({ identifier: "NewPet" })
export interface NewPet extends Schema.Schema.Type<typeof NewPet> {}

/** A pet as it is answered. */
export const Pet = Schema.Struct({
  id: Id,
  name: Schema.String,
  categoryId: Id,
  status: Schema.optionalKey(PetStatus)
}).annotate({ identifier: "Pet" })
export interface Pet extends Schema.Schema.Type<typeof Pet> {}

/** A change of a pet: what is absent stays. */
export const PetUpdate = Schema.Struct({
  /** Read-only: accepted and ignored. */
  id: Schema.optionalKey(Id),
  name: Schema.optionalKey(PetName),
  categoryId: Schema.optionalKey(Id),
  status: Schema.optionalKey(PetStatus)
}).annotate({ identifier: "PetUpdate" })
export interface PetUpdate extends Schema.Schema.Type<typeof PetUpdate> {}

/** A pet together with its stock, both of the same moment. */
export const PetWithInventory = Schema.Struct({
  ...Pet.fields,
  inventory: InventoryItem
}).annotate({ identifier: "PetWithInventory" })
export interface PetWithInventory extends Schema.Schema.Type<typeof PetWithInventory> {}

/** The answer for a pet with this stock. */
export const toPet = (
  pet: { readonly id: number; readonly name: string; readonly categoryId: number },
  stock: Stock
): Pet => ({
  id: pet.id,
  name: pet.name,
  categoryId: pet.categoryId,
  status: statusOf(stock)
})

/** What the methods of `pets` take. */
export const petInputs = {
  create: { body: NewPet, option: "idempotencyKey" },
  get: { path: { petId: Id } },
  getWithInventory: { path: { petId: Id } },
  list: { query: PetFilter },
  update: { path: { petId: Id }, body: PetUpdate, option: "ifVersion" },
  delete: { path: { petId: Id }, option: "ifVersion" }
} as const satisfies MethodInputs
