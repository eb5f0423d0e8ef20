import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { visibleOwner } from "../access/Principal.ts"
import type { InvalidCursor, ValidationFailed } from "../domain/errors/InputErrors.ts"
import { NotFound, type PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { Page } from "../domain/Page.ts"
import type { RuleRefusal } from "../domain/rules/RuleRefusal.ts"
import { orFail } from "../engine/Command.ts"
import { changeOf, deletion, Idempotency, type IdempotencyError } from "../idempotency/Idempotency.ts"
import { goOn, map, withPrincipal } from "../ports/Direct.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { found } from "../services/found.ts"
import type { CallOptions, ChangeOptions, ReserveOptions, Versioned } from "../services/Options.ts"
import { paginate } from "../services/pagination.ts"
import type { UseCases } from "../services/UseCases.ts"
import { ordersBy, ordersReversedBy } from "../tables/index.ts"
import { type NewOrder, type Order, type OrderUpdate, toOrder } from "./Order.ts"
import type { OrderAlreadyComplete, OrderIsDraft } from "./OrderErrors.ts"
import type { OrderFilter } from "./OrderFilter.ts"
import { cancel, place, placeAll, type ReservationError, toVersioned, update } from "./orderCommands.ts"
import type { OrderRecord } from "./orderTable.ts"
import type { Expiry, Reservation } from "./Reservation.ts"
import { Reservations } from "./Reservations.ts"
import { setExpiry, toReservation } from "./reservationCommands.ts"
import { findVisible, isHidden, notFound } from "./visibleOrder.ts"

/** The methods of `petstore.orders`: drafts, open orders and complete ones. */
export interface OrderMethods<Options extends CallOptions = CallOptions> {
  /**
   * Places an order and reserves stock for it, with `reserveFor` until it expires. Without a pet the order is a draft; with
   * `complete: true` it ships at once. Fails with `unknown_pet`, `pet_not_available`, `insufficient_stock`, `order_is_draft`,
   * `order_limit_exceeded`.
   */
  place(order: NewOrder, options?: ReserveOptions & Options): Promise<Versioned<Order>>
  /**
   * Places 1 to 100 orders, such as those of a shopping cart: all of them, or none. Each sees the ones before it, so that two orders of
   * one pet share its stock. Fails as `place` does for the first order that is rejected; `details.index` is its place, from 0.
   * @beta
   */
  placeAll(orders: ReadonlyArray<NewOrder>, options?: ReserveOptions & Options): Promise<ReadonlyArray<Order>>
  /** Reads an order. Fails with `not_found`. */
  get(orderId: number, options?: Options): Promise<Versioned<Order>>
  /** Lists one page of orders without cancelled ones: in ascending order of ids, or as `sort` says. */
  list(filter?: OrderFilter, options?: Options): Promise<Page<Order>>
  /** Iterates over the orders of all pages. */
  all(filter?: OrderFilter, options?: Options): AsyncIterable<Order>
  /**
   * Updates the fields that are present, and the reservation with them. Fails with `not_found`, `precondition_failed`,
   * `unknown_pet`, `pet_not_available`, `insufficient_stock`, `order_limit_exceeded`, `order_is_draft`, `order_already_complete`.
   */
  update(orderId: number, update: OrderUpdate, options?: ChangeOptions & Options): Promise<Versioned<Order>>
  /** Ships an order; a complete order stays as it is. Fails with `not_found`, `precondition_failed`, `order_is_draft`. */
  complete(orderId: number, options?: ChangeOptions & Options): Promise<Versioned<Order>>
  /** Cancels an order and releases its stock; from then on it is not found. Fails with `not_found`, `precondition_failed`, `order_already_complete`. */
  cancel(orderId: number, options?: ChangeOptions & Options): Promise<void>
  /**
   * Reads when an open order expires. Fails with `not_found`, also if it does not expire.
   * @beta
   */
  reservation(orderId: number, options?: Options): Promise<Versioned<Reservation>>
  /**
   * Sets how long an open order holds its units, starting now. The order and its version stay as they are. `ifVersion` is that of the
   * reservation, or 0 to set one only if the order does not expire. Fails with `not_found`,
   * `precondition_failed`, `order_is_draft`, `order_already_complete`.
   * @beta
   */
  setReservation(orderId: number, options?: ReserveOptions & ChangeOptions & Options): Promise<Versioned<Reservation>>
  /**
   * Lets an open order hold its units until it is completed or cancelled. `ifVersion` is that of the reservation. Fails with `not_found`,
   * `precondition_failed`, `order_is_draft`, `order_already_complete`.
   * @beta
   */
  removeReservation(orderId: number, options?: ChangeOptions & Options): Promise<void>
}

type UpdateError =
  | ValidationFailed
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
      place: ReservationError | OrderIsDraft | ValidationFailed | RuleRefusal | IdempotencyError
      placeAll: ReservationError | OrderIsDraft | ValidationFailed | RuleRefusal | IdempotencyError
      get: NotFound
      list: InvalidCursor
      update: UpdateError
      complete: UpdateError
      cancel: NotFound | PreconditionFailed | OrderAlreadyComplete | RuleRefusal | IdempotencyError
      reservation: NotFound
      setReservation:
        | NotFound
        | PreconditionFailed
        | OrderIsDraft
        | OrderAlreadyComplete
        | ValidationFailed
        | IdempotencyError
      removeReservation: NotFound | PreconditionFailed | OrderIsDraft | OrderAlreadyComplete | IdempotencyError
    }
  >
>()("@petstore/core/orders/Orders") {
  static readonly layer = Layer.effect(
    Orders,
    Effect.gen(function* () {
      const storage = yield* Storage
      const idempotency = yield* Idempotency
      const { expiry, freeing, policy } = yield* Reservations

      /** Runs a command that may begin a reservation. It decides about it itself, so that a retry with its key is not rejected. */
      const reserving = <A, E>(
        options: ReserveOptions | undefined,
        command: (expiry: Expiry | undefined) => Effect.Effect<A, E>
      ): Effect.Effect<A, E | ValidationFailed | StorageError> =>
        options?.reserveFor === undefined && policy.expireAfter === undefined
          ? command(undefined)
          : goOn(expiry(options), command)

      const visibleOrder = (id: number) => found("order", id, findVisible(storage, id))

      // A repetition by a caller for whom the order does not exist is another request, so that they do not receive its result.
      const amend: Orders["Service"]["update"] = (id, input, options) =>
        withPrincipal((principal) => {
          const meaning = { ...changeOf(id, options, input), owner: visibleOwner(principal) }
          const amended = (expiry?: Expiry) =>
            goOn(isHidden(storage, id), (hidden) =>
              freeing(
                idempotency.once("orders.update", meaning, options, (call) =>
                  hidden ? notFound(id) : update(call, id, input, options, expiry)
                ),
                id
              )
            )
          return input.petId === undefined ? amended() : reserving(undefined, amended)
        })

      return {
        place: (input, options) => {
          const meaning = { ...meaningOf(input), reserveFor: meaningOfDuration(options) }
          return reserving(options, (expiry) =>
            freeing(idempotency.once("orders.place", meaning, options, (call) => place(call, input, options, expiry)))
          )
        },

        placeAll: (inputs, options) => {
          const meaning = { orders: inputs.map(meaningOf), reserveFor: meaningOfDuration(options) }
          return reserving(options, (expiry) =>
            freeing(
              idempotency.once("orders.placeAll", meaning, options, (call) => placeAll(call, inputs, options, expiry))
            )
          )
        },

        get: (id) => map(visibleOrder(id), toVersioned),

        list: ({ petId, complete, state, sort = "id", count = false, ...query } = {}) =>
          withPrincipal((principal) => {
            const filters = { petId, complete, state }
            const asked = { ...filters, owner: visibleOwner(principal) }
            const isReversed = sort === "-id"
            return paginate(
              query,
              {
                list: "orders",
                filters: { ...filters, sort: isReversed ? sort : undefined },
                start: isReversed ? Number.POSITIVE_INFINITY : 0,
                position: (record: OrderRecord) => record.id,
                count: count ? (most) => storage.count(ordersBy, { ...asked, after: 0 }, most) : undefined
              },
              (after, limit) => storage.select(isReversed ? ordersReversedBy : ordersBy, { ...asked, after }, limit),
              ({ id, order }) => toOrder(id, order)
            )
          }),

        update: amend,

        complete: (id, options) => amend(id, { complete: true }, options),

        cancel: (id, options) =>
          withPrincipal((principal) =>
            goOn(isHidden(storage, id), (hidden) =>
              idempotency.once(
                "orders.cancel",
                { ...changeOf(id, options), owner: visibleOwner(principal) },
                options,
                (call) => (hidden ? notFound(id) : cancel(call, id, options))
              )
            )
          ).pipe(
            Effect.map(deletion),
            // The pet of an open order is never deleted.
            Effect.catchTag("UnknownPet", Effect.die)
          ),

        reservation: (orderId) =>
          goOn(visibleOrder(orderId), ({ order: { expiresAt } }) =>
            expiresAt === undefined
              ? Exit.fail(new NotFound({}, { message: `Order ${orderId} does not expire.` }))
              : Exit.succeed(toReservation(orderId, expiresAt))
          ),

        setReservation: (orderId, options) =>
          withPrincipal((principal) =>
            Effect.flatMap(Effect.zip(expiry(options), isHidden(storage, orderId)), ([expiry, hidden]) =>
              idempotency.once(
                "orders.setReservation",
                {
                  ...changeOf(orderId, options),
                  reserveFor: meaningOfDuration(options),
                  owner: visibleOwner(principal)
                },
                options,
                function* (call) {
                  const expiresAt = yield* orFail(expiry(call.principal))
                  yield* hidden ? notFound(orderId) : setExpiry(call, orderId, expiresAt, options)
                  return toReservation(orderId, expiresAt)
                }
              )
            )
          ),

        removeReservation: (orderId, options) =>
          withPrincipal((principal) =>
            goOn(isHidden(storage, orderId), (hidden) =>
              idempotency.once(
                "orders.removeReservation",
                { ...changeOf(orderId, options), owner: visibleOwner(principal) },
                options,
                (call) => (hidden ? notFound(orderId) : setExpiry(call, orderId, undefined, options))
              )
            )
          ).pipe(Effect.map(deletion))
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

const meaningOfDuration = (options: ReserveOptions | undefined): number | undefined =>
  options?.reserveFor === undefined ? undefined : Duration.toMillis(options.reserveFor)
