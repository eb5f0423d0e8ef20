import { failure } from "../errors/PetstoreError.ts"

/** The category of the pet does not exist. */
export class UnknownCategory extends failure(
  "UnknownCategory",
  "unknown_category",
  409,
  ({ categoryId }: { readonly categoryId: number }) => `There is no category ${categoryId}. Create it first.`
) {}

/** The name is in use. Names are unique, ignoring case. */
export class CategoryNameTaken extends failure(
  "CategoryNameTaken",
  "category_name_taken",
  409,
  ({ name }: { readonly name: string }) =>
    `There is already a category named ${JSON.stringify(name)}. Names are unique, ignoring case.`
) {}

/** The category has pets. Move or delete them first. */
export class CategoryInUse extends failure(
  "CategoryInUse",
  "category_in_use",
  409,
  ({ categoryId }: { readonly categoryId: number }) =>
    `Category ${categoryId} still has pets. Move or delete them first.`
) {}

/** The pet is pending because its units are reserved, not because it was put on hold. */
export class PetReserved extends failure(
  "PetReserved",
  "pet_reserved",
  409,
  ({ petId, reserved }: { readonly petId: number; readonly reserved: number }) =>
    `Pet ${petId} is pending because ${reserved} reserved unit(s) leave none free. Cancel or complete the orders.`
) {}

/** The pet has open orders. Complete or cancel them first. */
export class PetHasOpenOrders extends failure(
  "PetHasOpenOrders",
  "pet_has_open_orders",
  409,
  ({ petId, reserved }: { readonly petId: number; readonly reserved: number }) =>
    `Pet ${petId} has ${reserved} unit(s) in open orders. Complete or cancel them first.`
) {}

/** A sold pet cannot get another status. Restock it through its inventory. */
export class InvalidStatusTransition extends failure(
  "InvalidStatusTransition",
  "invalid_status_transition",
  409,
  ({ petId, from, to }: { readonly petId: number; readonly from: string; readonly to: string }) =>
    `Pet ${petId} cannot go from ${from} to ${to}. Restock it through its inventory.`
) {}

/** The stock cannot be less than the units reserved by open orders. */
export class QuantityBelowReserved extends failure(
  "QuantityBelowReserved",
  "quantity_below_reserved",
  409,
  ({ petId, quantity, reserved }: { readonly petId: number; readonly quantity: number; readonly reserved: number }) =>
    quantity < 0
      ? `The stock of pet ${petId} cannot be ${quantity}. Take away fewer units.`
      : `The stock of pet ${petId} cannot be ${quantity}: open orders reserve ${reserved}. Complete or cancel some of them first.`
) {}

/** The stock would be more than the largest that can be stored. */
export class StockLimitExceeded extends failure(
  "StockLimitExceeded",
  "stock_limit_exceeded",
  409,
  ({ limit, petId, quantity }: { readonly petId: number; readonly quantity: number; readonly limit: number }) =>
    `Pet ${petId} would have ${quantity} units. The largest stock is ${limit}.`
) {}
