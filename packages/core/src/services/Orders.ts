import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import type { OrderAlreadyComplete, OrderIsDraft } from "../domain/errors/OrderErrors.ts"
import { NotFound, type PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { OrderFilter } from "../domain/Filters.ts"
import { type NewOrder, type Order, type OrderUpdate, toOrder } from "../domain/Order.ts"
import type { Page } from "../domain/Page.ts"
import type { RuleRefusal } from "../domain/rules/RuleRefusal.ts"
import { Storage } from "../ports/Storage.ts"
import { orders, ordersBy } from "../tables/index.ts"
import type { OrderRecord } from "../tables/orders.ts"
import { changeOf, deletion, Idempotency, type IdempotencyError } from "./Idempotency.ts"
import type { CallOptions, ChangeOptions, CreateOptions, Versioned } from "./Options.ts"
import { cancel, isVisible, place, placeAll, type ReservationError, toVersioned, update } from "./orderCommands.ts"
import { visibleOwner, withPrincipal } from "./Principal.ts"
import { paginate } from "./pagination.ts"
import type { UseCases } from "./UseCases.ts"

/** The methods of `petstore.orders`: drafts, open orders and complete ones. */
export interface OrderMethods<Options extends CallOptions = CallOptions> {
  /**
   * Places an order and reserves stock for it. Without a pet the order is a draft; with `complete: true` it ships at once.
   * Fails with `unknown_pet`, `pet_not_available`, `insufficient_stock`, `order_is_draft`.
   */
  place(order: NewOrder, options?: CreateOptions & Options): Promise<Versioned<Order>>
  /**
   * Places 1 to 100 orders, such as those of a shopping cart: all of them, or none. Each sees the ones before it, so that two orders of
   * one pet share its stock. Fails as `place` does for the first order that is rejected; `details.index` is its place, from 0.
   *
   * @experimental beta: see the upgrade policy.
   */
  placeAll(orders: ReadonlyArray<NewOrder>, options?: CreateOptions & Options): Promise<ReadonlyArray<Order>>
  /** Reads an order. Fails with `not_found`. */
  get(orderId: number, options?: Options): Promise<Versioned<Order>>
  /** Lists one page of orders, in ascending order of ids, without cancelled ones. */
  list(filter?: OrderFilter, options?: Options): Promise<Page<Order>>
  /** Iterates over the orders of all pages. */
  all(filter?: OrderFilter, options?: Options): AsyncIterable<Order>
  /**
   * Updates the fields that are present, and the reservation with them. Fails with `not_found`, `precondition_failed`,
   * `unknown_pet`, `pet_not_available`, `insufficient_stock`, `order_is_draft`, `order_already_complete`.
   */
  update(orderId: number, update: OrderUpdate, options?: ChangeOptions & Options): Promise<Versioned<Order>>
  /** Ships an order; a complete order stays as it is. Fails with `not_found`, `precondition_failed`, `order_is_draft`. */
  complete(orderId: number, options?: ChangeOptions & Options): Promise<Versioned<Order>>
  /** Cancels an order and releases its stock; from then on it is not found. Fails with `not_found`, `precondition_failed`, `order_already_complete`. */
  cancel(orderId: number, options?: ChangeOptions & Options): Promise<void>
}

type UpdateError =
  | NotFound
  | PreconditionFailed
  | ReservationError
  | OrderIsDraft
  | OrderAlreadyComplete
  | RuleRefusal
  | IdempotencyError

/** The use cases of orders. Inputs are decoded already. */
export class Orders extends Context.Service<
  Orders,
  UseCases<
    OrderMethods,
    {
      place: ReservationError | OrderIsDraft | RuleRefusal | IdempotencyError
      placeAll: ReservationError | OrderIsDraft | RuleRefusal | IdempotencyError
      get: NotFound
      list: InvalidCursor
      update: UpdateError
      complete: UpdateError
      cancel: NotFound | PreconditionFailed | OrderAlreadyComplete | RuleRefusal | IdempotencyError
    }
  >
>()("@petstore/core/services/Orders") {
  static readonly layer = Layer.effect(
    Orders,
    Effect.gen(function* () {
      const storage = yield* Storage
      const idempotency = yield* Idempotency

      // A repetition by somebody for whom the order does not exist is another request, so that they do not get its result.
      const amend: Orders["Service"]["update"] = (id, input, options) =>
        withPrincipal((principal) =>
          idempotency.once(
            "orders.update",
            { ...changeOf(id, options, input), owner: visibleOwner(principal) },
            options,
            (call) => update(call, id, input, options)
          )
        )

      return {
        place: (input, options) =>
          idempotency.once("orders.place", meaningOf(input), options, (call) => place(call, input)),

        placeAll: (inputs, options) =>
          Effect.map(
            idempotency.once("orders.placeAll", inputs.map(meaningOf), options, (call) => placeAll(call, inputs)),
            ({ replayed, value }) => ({ replayed, value: value.orders.map(({ version: _, ...order }) => order) })
          ),

        get: (id) =>
          withPrincipal((principal) =>
            Effect.flatMap(storage.find(orders, id), (record) =>
              record === undefined || !isVisible(record, principal)
                ? Effect.fail(NotFound.of("order", id))
                : Effect.succeed(toVersioned(record))
            )
          ),

        list: ({ petId, complete, ...query } = {}) =>
          withPrincipal((principal) =>
            paginate(
              query,
              { list: "orders", filters: { petId, complete }, start: 0, position: (record: OrderRecord) => record.id },
              (after, limit) =>
                storage.select(ordersBy, { petId, complete, owner: visibleOwner(principal), after }, limit),
              ({ id, order }) => toOrder(id, order)
            )
          ),

        update: amend,

        complete: (id, options) => amend(id, { complete: true }, options),

        cancel: (id, options) =>
          withPrincipal((principal) =>
            idempotency.once(
              "orders.cancel",
              { ...changeOf(id, options), owner: visibleOwner(principal) },
              options,
              (call) => cancel(call, id, options)
            )
          ).pipe(
            Effect.map(deletion),
            // The pet of an open order is never deleted.
            Effect.catchTag("UnknownPet", Effect.die)
          )
      }
    })
  )
}

/** An input with its defaults and without its id, so that requests with the same meaning have the same fingerprint. */
const meaningOf = ({ petId, quantity, shipDate, complete }: NewOrder) => ({
  petId,
  quantity: petId === undefined ? quantity : (quantity ?? 1),
  shipDate,
  complete: complete === true
})
