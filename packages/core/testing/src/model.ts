import { type InventoryAdjustment, nameKey } from "@petstore/core/domain"
import type { PetstoreState } from "./petstoreState.ts"

/** A command of the model. Ids count from 1 in the order of creation, separately for each kind of resource. */
export type Command =
  | { readonly type: "createCategory"; readonly name: string }
  | { readonly type: "deleteCategory"; readonly categoryId: number }
  | { readonly type: "createPet"; readonly categoryId: number; readonly status?: Status }
  | { readonly type: "updatePet"; readonly petId: number; readonly categoryId?: number; readonly status?: Status }
  | { readonly type: "deletePet"; readonly petId: number }
  | { readonly type: "setStock"; readonly petId: number; readonly quantity: number }
  | ({ readonly type: "adjustStock"; readonly petId: number } & InventoryAdjustment)
  | ({ readonly type: "placeOrder" } & OrderFields)
  | { readonly type: "placeOrders"; readonly orders: ReadonlyArray<OrderFields> }
  | ({ readonly type: "updateOrder"; readonly orderId: number } & OrderFields)
  | { readonly type: "cancelOrder"; readonly orderId: number }

type Status = "available" | "pending" | "sold"

interface OrderFields {
  readonly petId?: number
  readonly quantity?: number
  readonly complete?: boolean
}

interface ModelPet {
  categoryId: number
  onHand: number
  held: boolean
}

interface ModelOrder {
  petId: number | undefined
  quantity: number | undefined
  complete: boolean
}

/** The expected result of a command: `ok` with the id of what was created, or the ids; or an error code. */
export type Outcome =
  | { readonly code: "ok"; readonly id?: number; readonly ids?: ReadonlyArray<number> }
  | { readonly code: string }

/**
 * A reference model of the engine in a few maps of numbers, written from the specification and not from the rules. Run the
 * same commands on both and compare outcomes and state after each, as {@link assertMatchesModel} does.
 *
 * @example
 * ```ts
 * import { Model } from "@petstore/testing"
 *
 * const model = new Model()
 * model.run({ type: "createCategory", name: "Dogs" }) // => {"code": "ok", "id": 1}
 * model.run({ type: "createPet", categoryId: 1 }) // => {"code": "ok", "id": 1}
 * model.run({ type: "placeOrder", petId: 1, quantity: 2 }) // => {"code": "insufficient_stock"}
 * model.run({ type: "placeOrder", petId: 1 }) // => {"code": "ok", "id": 1}
 * model.status(1) // => "pending"
 * ```
 */
export class Model {
  readonly categories = new Map<number, string>()
  readonly pets = new Map<number, ModelPet>()
  /** Drafts have no pet; cancelled orders are gone. */
  readonly orders = new Map<number, ModelOrder>()
  #used = { category: new Set<number>(), pet: new Set<number>(), order: new Set<number>() }

  /** Units of a pet in orders that are not complete. */
  reserved(petId: number): number {
    return sumOf(this.orders.values(), petId)
  }

  status(petId: number): Status {
    const pet = this.pets.get(petId)
    if (pet === undefined || pet.onHand === 0) return "sold"
    return pet.held || pet.onHand === this.reserved(petId) ? "pending" : "available"
  }

  /** A model in the same state, which changes apart from this one. */
  copy(): Model {
    const copy = new Model()
    for (const [id, name] of this.categories) copy.categories.set(id, name)
    for (const [id, pet] of this.pets) copy.pets.set(id, { ...pet })
    for (const [id, order] of this.orders) copy.orders.set(id, { ...order })
    for (const kind of ["category", "pet", "order"] as const) copy.#used[kind] = new Set(this.#used[kind])
    return copy
  }

  /** The expected lists. */
  get state(): PetstoreState {
    return {
      categories: [...this.categories.keys()].sort((a, b) => a - b),
      pets: byId(this.pets).map(([id, { categoryId }]) => ({ id, categoryId, status: this.status(id) })),
      inventory: byId(this.pets).map(([petId, { held, onHand }]) => ({
        petId,
        quantity: onHand,
        reserved: this.reserved(petId),
        available: held ? 0 : onHand - this.reserved(petId),
        status: this.status(petId)
      })),
      orders: byId(this.orders).map(([id, { complete, petId, quantity }]) => ({ id, petId, quantity, complete }))
    }
  }

  /**
   * Runs a command, and returns the outcome that it must have. A new id is that of `observed`, the outcome in a petstore, if
   * it was not used before: with many writers ids have gaps and do not ascend.
   */
  run(command: Command, observed?: Outcome): Outcome {
    switch (command.type) {
      case "createCategory": {
        if ([...this.categories.values()].includes(nameKey(command.name))) return { code: "category_name_taken" }
        const id = this.#newId("category", observed)
        this.categories.set(id, nameKey(command.name))
        return { code: "ok", id }
      }
      case "deleteCategory": {
        if (!this.categories.has(command.categoryId)) return { code: "not_found" }
        if ([...this.pets.values()].some((pet) => pet.categoryId === command.categoryId)) {
          return { code: "category_in_use" }
        }
        this.categories.delete(command.categoryId)
        return { code: "ok" }
      }
      case "createPet": {
        const { categoryId, status } = command
        if (!this.categories.has(categoryId)) return { code: "unknown_category" }
        const pet = { categoryId, onHand: status === "sold" ? 0 : 1, held: status === "pending" }
        const id = this.#newId("pet", observed)
        this.pets.set(id, pet)
        return { code: "ok", id }
      }
      case "updatePet":
        return this.#updatePet(command.petId, command.categoryId, command.status)
      case "deletePet": {
        if (!this.pets.has(command.petId)) return { code: "not_found" }
        if (this.reserved(command.petId) > 0) return { code: "pet_has_open_orders" }
        this.pets.delete(command.petId)
        return { code: "ok" }
      }
      case "setStock":
        return this.#count(command.petId, () => command.quantity)
      case "adjustStock":
        return this.#count(command.petId, (onHand) => onHand + command.delta)
      case "placeOrder": {
        const order = { petId: undefined, quantity: undefined, complete: false }
        const refusal = this.#saveOrder(order, command)
        if (refusal !== undefined) return refusal
        const id = this.#newId("order", observed)
        this.orders.set(id, order)
        return { code: "ok", id }
      }
      case "placeOrders":
        return this.#placeOrders(command.orders, observed)
      case "updateOrder": {
        const order = this.orders.get(command.orderId)
        if (order === undefined) return { code: "not_found" }
        return this.#saveOrder(order, command) ?? { code: "ok" }
      }
      case "cancelOrder": {
        const order = this.orders.get(command.orderId)
        if (order === undefined) return { code: "not_found" }
        if (order.complete) return { code: "order_already_complete" }
        this.orders.delete(command.orderId)
        return { code: "ok" }
      }
    }
  }

  #placeOrders(
    orders: Extract<Command, { readonly type: "placeOrders" }>["orders"],
    observed: Outcome | undefined
  ): Outcome {
    const stock = new Map([...this.pets].map(([id, pet]) => [id, { ...pet }]))
    const placed: Array<ModelOrder> = []
    for (const fields of orders) {
      const order = { petId: undefined, quantity: undefined, complete: false }
      const refusal = this.#saveOrder(order, fields, placed)
      if (refusal !== undefined) {
        for (const [id, pet] of stock) this.pets.set(id, pet)
        return refusal
      }
      placed.push(order)
    }
    const given = observed !== undefined && "ids" in observed ? observed.ids : undefined
    const ids = placed.map((order, index) => {
      const known = given?.[index]
      const id = this.#newId("order", known === undefined ? undefined : { code: "ok", id: known })
      this.orders.set(id, order)
      return id
    })
    return { code: "ok", ids }
  }

  #count(petId: number, quantityAfter: (onHand: number) => number): Outcome {
    const pet = this.pets.get(petId)
    if (pet === undefined) return { code: "not_found" }
    const quantity = quantityAfter(pet.onHand)
    if (quantity < this.reserved(petId)) return { code: "quantity_below_reserved" }
    pet.onHand = quantity
    if (pet.onHand === 0) pet.held = false
    return { code: "ok" }
  }

  #newId(kind: "category" | "pet" | "order", observed: Outcome | undefined): number {
    const used = this.#used[kind]
    const given = observed !== undefined && "id" in observed ? observed.id : undefined
    const id = given === undefined || used.has(given) ? Math.max(0, ...used) + 1 : given
    used.add(id)
    return id
  }

  #updatePet(petId: number, categoryId: number | undefined, wanted: Status | undefined): Outcome {
    const pet = this.pets.get(petId)
    if (pet === undefined) return { code: "not_found" }
    if (categoryId !== undefined && !this.categories.has(categoryId)) return { code: "unknown_category" }
    const now = this.status(petId)
    if (wanted !== undefined && now === "sold" && wanted !== "sold") return { code: "invalid_status_transition" }
    if (wanted === "available" && now === "pending" && !pet.held) return { code: "pet_reserved" }
    if (wanted === "sold" && this.reserved(petId) > 0) return { code: "pet_has_open_orders" }
    if (wanted !== undefined) pet.held = wanted === "pending"
    if (wanted === "sold") pet.onHand = 0
    pet.categoryId = categoryId ?? pet.categoryId
    return { code: "ok" }
  }

  /** `others` are orders that are not among those of the model yet. */
  #saveOrder(
    order: ModelOrder,
    fields: OrderFields,
    others: ReadonlyArray<ModelOrder> = []
  ): { readonly code: string } | undefined {
    const petId = fields.petId ?? order.petId
    const quantity = fields.quantity ?? order.quantity ?? (petId === undefined ? undefined : 1)
    if (order.complete) {
      const same = petId === order.petId && quantity === order.quantity && fields.complete !== false
      return same ? undefined : { code: "order_already_complete" }
    }
    const complete = fields.complete === true
    if (petId === undefined && complete) return { code: "order_is_draft" }
    const pet = petId === undefined ? undefined : this.pets.get(petId)
    if (petId !== undefined && pet === undefined) return { code: "unknown_pet" }
    if (petId !== undefined && pet !== undefined && quantity !== undefined) {
      const more = quantity - (order.petId === petId ? (order.quantity ?? 0) : 0)
      if (more > 0 && (pet.held || pet.onHand === 0)) return { code: "pet_not_available" }
      const reserved = this.reserved(petId) + sumOf(others, petId)
      if (more > pet.onHand - reserved) return { code: "insufficient_stock" }
      if (complete) {
        pet.onHand -= quantity
        if (pet.onHand === 0) pet.held = false
      }
    }
    Object.assign(order, { petId, quantity, complete })
    return undefined
  }
}

/** Units of a pet in those of the orders that are not complete. */
const sumOf = (orders: Iterable<ModelOrder>, petId: number): number => {
  let sum = 0
  for (const order of orders) if (order.petId === petId && !order.complete) sum += order.quantity ?? 0
  return sum
}

const byId = <A>(rows: ReadonlyMap<number, A>): ReadonlyArray<readonly [id: number, row: A]> =>
  [...rows].sort(([a], [b]) => a - b)
