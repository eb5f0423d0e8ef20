import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { testOf } from "../asIs.ts"
import { Id } from "../Id.ts"
import { InventoryItem } from "../inventory/InventoryItem.ts"
import { PetStatus, type Stock, statusOf } from "../inventory/Stock.ts"
import { limits } from "../limits.ts"
import { batchOf, type MethodInputs } from "../MethodInput.ts"
import { IncludedRecord } from "../records/IncludedRecord.ts"
import { line } from "../Text.ts"
import { PetFilter } from "./PetFilter.ts"

/** The name of a pet: one line of 1 to 200 characters, kept trimmed and in NFC. */
export const PetName = line(limits.petName)

/** The fields of a pet that inputs set and events carry, other than its status. A new field of Pet is added here. */
const details = { name: PetName, categoryId: Id }

const Details = Schema.Struct(details).mapFields(Struct.map(Schema.toType))

/** The fields of a pet other than its id and status. */
export interface PetDetails extends Schema.Schema.Type<typeof Details> {}

/** The input of a new pet. */
export const NewPet = Schema.Struct({
  ...details,
  status: Schema.optionalKey(PetStatus)
}).annotate({ identifier: "NewPet" })
export interface NewPet extends Schema.Schema.Type<typeof NewPet> {}

/** The input of several new pets. */
export const NewPets = Schema.Struct({ pets: batchOf(NewPet) }).annotate({ identifier: "NewPets" })
export interface NewPets extends Schema.Schema.Type<typeof NewPets> {}

/** A pet. */
export const Pet = Schema.Struct({
  id: Id,
  ...Details.fields,
  status: Schema.optionalKey(PetStatus)
}).annotate({ identifier: "Pet" })
export interface Pet extends Schema.Schema.Type<typeof Pet> {}

/** A change of a pet: absent fields stay as they are. */
export const PetUpdate = Schema.Struct({
  /** Read-only: accepted and ignored. */
  id: Schema.optionalKey(Id),
  ...Schema.Struct(details).mapFields(Struct.map(Schema.optionalKey)).fields,
  status: Schema.optionalKey(PetStatus)
}).annotate({ identifier: "PetUpdate" })
export interface PetUpdate extends Schema.Schema.Type<typeof PetUpdate> {}

/** A pet together with its stock, read at the same moment. */
export const PetWithInventory = Schema.Struct({
  ...Pet.fields,
  inventory: InventoryItem,
  /** Only if a read asks for it. */
  record: Schema.optionalKey(IncludedRecord)
}).annotate({ identifier: "PetWithInventory" })
export interface PetWithInventory extends Schema.Schema.Type<typeof PetWithInventory> {}

const detailNames = Object.keys(details) as ReadonlyArray<keyof PetDetails>

/** What has each detail of a pet. The compiler rejects a literal that lacks one, even an optional one. */
export type AllDetails = { readonly [Name in keyof PetDetails]-?: PetDetails[Name] | undefined } & {
  readonly [other: string]: unknown
}

/** The details of a pet, without its other fields. */
export const detailsOf = ({ categoryId, name }: PetDetails): PetDetails => ({ name, categoryId }) satisfies AllDetails

/** The details of a pet after a change. */
export const amendDetails = (details: PetDetails, update: PetUpdate): PetDetails => detailsOf({ ...details, ...update })

/** Whether two pets have the same details. */
export const sameDetails = (a: PetDetails, b: PetDetails): boolean => detailNames.every((name) => a[name] === b[name])

const areDetails = Schema.is(Details)

const tests = detailNames.map((name) => [name, testOf(details[name])] as const)

/** Whether a value has the details of a pet, and no empty text among them. */
export const isPetDetails = (value: PetDetails): boolean =>
  // Nearly all pets have details that inputs keep as they are, which shows in a tenth of the time.
  tests.every(([name, accepts]) => accepts(value[name])) ||
  (areDetails(detailsOf(value)) && detailNames.every((name) => value[name] !== ""))

/** Whether two pets look the same to callers. */
export const samePet = (a: Pet, b: Pet): boolean => a.status === b.status && sameDetails(a, b)

/** The pet that callers see, with this stock. */
export const toPet = (pet: PetDetails & { readonly id: number }, stock: Stock): Pet & { readonly status: PetStatus } =>
  ({ id: pet.id, name: pet.name, categoryId: pet.categoryId, status: statusOf(stock) }) satisfies AllDetails

/** What the methods of `pets` take. */
export const petInputs = {
  create: { body: NewPet, options: { idempotencyKey: true }, errors: ["unknown_category"], hostRules: true },
  createAll: {
    body: NewPets,
    field: "pets",
    options: { idempotencyKey: true },
    errors: ["unknown_category"],
    hostRules: true
  },
  get: { path: { petId: Id }, options: { include: true }, errors: ["not_found"] },
  getWithInventory: { path: { petId: Id }, options: { include: true }, errors: ["not_found"] },
  list: { query: PetFilter, errors: ["not_indexed"] },
  update: {
    path: { petId: Id },
    body: PetUpdate,
    options: { idempotencyKey: true, ifVersion: true },
    errors: ["not_found", "unknown_category", "invalid_status_transition", "pet_reserved", "pet_has_open_orders"],
    hostRules: true
  },
  delete: {
    path: { petId: Id },
    options: { idempotencyKey: true, ifVersion: true },
    errors: ["not_found", "pet_has_open_orders"]
  }
} as const satisfies MethodInputs
