import { failure } from "../errors/PetstoreError.ts"

/** The pet of the order does not exist. */
export class UnknownPet extends failure(
  "UnknownPet",
  "unknown_pet",
  409,
  ({ petId }: { readonly petId: number }) => `There is no pet ${petId}.`
) {}

/** Fewer units are free than requested. `details` has the numbers. */
export class InsufficientStock extends failure(
  "InsufficientStock",
  "insufficient_stock",
  409,
  ({
    petId,
    requested,
    available
  }: {
    readonly petId: number
    readonly requested: number
    readonly available: number
  }) => `Pet ${petId} has ${available} free unit(s), ${requested} requested. Order fewer, or restock it.`
) {}

/** The pet is on hold or has no unit on hand. */
export class PetNotAvailable extends failure(
  "PetNotAvailable",
  "pet_not_available",
  409,
  ({ petId }: { readonly petId: number; readonly status: string; readonly quantity: number }) =>
    `Pet ${petId} takes no orders: it is on hold or sold out.`
) {}

const held = { openOrders: "open orders", reservedUnits: "reserved units", drafts: "drafts" }

/** The owner of the order would hold more than the store allows. `details` has the numbers. */
export class OrderLimitExceeded extends failure(
  "OrderLimitExceeded",
  "order_limit_exceeded",
  409,
  (details: {
    readonly limit: keyof typeof held
    readonly maximum: number
    readonly held: number
    readonly requested: number
  }) =>
    `The limit of one owner is ${details.maximum} ${held[details.limit]}: ${details.held} are held, and ${details.requested} more requested. Complete or cancel some orders first.`
) {}

/** An order needs a `petId` before it can be completed. */
export class OrderIsDraft extends failure(
  "OrderIsDraft",
  "order_is_draft",
  409,
  () => "An order without a pet cannot be completed. Give it a petId."
) {}

/** A complete order cannot change. */
export class OrderAlreadyComplete extends failure(
  "OrderAlreadyComplete",
  "order_already_complete",
  409,
  ({ orderId }: { readonly orderId: number }) => `Order ${orderId} is complete and cannot change.`
) {}
