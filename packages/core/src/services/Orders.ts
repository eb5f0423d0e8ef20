import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type NewEvent, newEvent } from "../domain/Event.ts"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import type {
  InsufficientStock,
  OrderAlreadyComplete,
  OrderIsDraft,
  PetNotAvailable,
  UnknownPet
} from "../domain/errors/OrderErrors.ts"
import { NotFound, type PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { OrderFilter } from "../domain/Filters.ts"
import { Id } from "../domain/Id.ts"
import {
  amend,
  cancel,
  type NewOrder,
  Order,
  type OrderDecision,
  type OrderUpdate,
  place,
  type StockOf,
  toOrder
} from "../domain/Order.ts"
import type { OrderFact } from "../domain/OrderState.ts"
import type { Page } from "../domain/Page.ts"
import type { RuleRefusal } from "../domain/rules/RuleRefusal.ts"
import type { CommandName } from "../ports/CommandName.ts"
import { immediateRows } from "../ports/immediateRows.ts"
import type { OrderRecord } from "../ports/OrderRows.ts"
import type { PetRecord } from "../ports/PetRows.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Transaction } from "../ports/Transaction.ts"
import { type Caller, forCaller } from "./Caller.ts"
import { eachOf } from "./eachOf.ts"
import { HostRules } from "./HostRules.ts"
import { Idempotency, type IdempotencyError } from "./Idempotency.ts"
import { Journal } from "./Journal.ts"
import { type CallOptions, type ChangeOptions, type CreateOptions, type Versioned, versioned } from "./Options.ts"
import { ownerOf, type PrincipalInfo, visibleOwner, withPrincipal } from "./Principal.ts"
import { paginate } from "./pagination.ts"
import { checkVersion } from "./precondition.ts"
import { type RecordedStock, type StockCause, StockLedger } from "./StockLedger.ts"
import type { UseCases } from "./UseCases.ts"

/** Why stock cannot be reserved for an order. */
export type ReservationError = UnknownPet | PetNotAvailable | InsufficientStock

/** The pets of an order: at most two. */
type LockedPets = ReadonlyArray<PetRecord>

const noPets: LockedPets = []
const noEvents: ReadonlyArray<NewEvent> = []
const eventsOf = ({ events }: RecordedStock): ReadonlyArray<NewEvent> => events

const petWith = (petId: number, pets: LockedPets): PetRecord | undefined => pets.find(({ id }) => id === petId)

const stockOf =
  (pets: LockedPets): StockOf =>
  (petId) =>
    petWith(petId, pets)?.stock

const petOf = ({ order: { petId } }: OrderDecision, pets: LockedPets): PetRecord | undefined =>
  petId === undefined ? undefined : petWith(petId, pets)

const orderEvent = ({ id, order, version }: OrderRecord, fact: OrderFact): NewEvent => {
  const data = { ...toOrder(id, order), state: order.state, version }
  switch (fact) {
    case "placed":
    case "updated":
    case "completed":
      return newEvent(`order.${fact}`, data)
    case "cancelled":
      return newEvent("order.cancelled", { id })
  }
}

/** The methods of `petstore.orders`: drafts, open orders and complete ones. */
export interface OrderMethods<Options extends CallOptions = CallOptions> {
  /**
   * Places an order and reserves stock for it. Without a pet the order is a draft; with `complete: true` it ships at once.
   * Fails with `unknown_pet`, `pet_not_available`, `insufficient_stock`, `order_is_draft`.
   */
  place(order: NewOrder, options?: CreateOptions & Options): Promise<Versioned<Order>>
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

type UpdateError = NotFound | PreconditionFailed | ReservationError | OrderIsDraft | OrderAlreadyComplete | RuleRefusal

/** The use cases of orders. Inputs are decoded already. */
export class Orders extends Context.Service<
  Orders,
  UseCases<
    OrderMethods,
    {
      place: ReservationError | OrderIsDraft | RuleRefusal | IdempotencyError
      get: NotFound
      list: InvalidCursor
      update: UpdateError
      complete: UpdateError
      cancel: NotFound | PreconditionFailed | OrderAlreadyComplete | RuleRefusal
    }
  >
>()("@petstore/core/services/Orders") {
  static readonly layer = Layer.effect(
    Orders,
    Effect.gen(function* () {
      const storage = yield* Storage
      const idempotency = yield* Idempotency
      const journal = yield* Journal
      const ledger = yield* StockLedger
      const rules = yield* HostRules
      const { orders, pets } = immediateRows(storage)

      const resultSchema = Schema.Struct({
        ...versioned(Order).fields,
        id: Id,
        complete: Schema.Boolean
      })
      const toVersioned = ({ id, order, version }: OrderRecord): Versioned<Order> => ({
        ...toOrder(id, order),
        version
      })
      /** To a caller who sees one owner's orders, the others do not exist. */
      const found = (id: number, principal: PrincipalInfo) => (record: OrderRecord | undefined) => {
        const owner = visibleOwner(principal)
        return record === undefined || (owner !== undefined && record.owner !== owner)
          ? Exit.fail(NotFound.of("order", id))
          : Exit.succeed(record)
      }

      const lockPet = (id: number | undefined): Effect.Effect<LockedPets, StorageError, Transaction> =>
        id === undefined
          ? Exit.succeed(noPets)
          : Effect.mapEager(pets.lock(id), (pet) => (pet === undefined ? noPets : [pet]))

      /** In ascending id, so that two orders that move between the same pets never wait for each other. */
      const lockPets = (one: number | undefined, other: number | undefined) => {
        if (one === undefined || other === undefined || one === other) return lockPet(one ?? other)
        return Effect.flatMapEager(lockPet(Math.min(one, other)), (first) =>
          Effect.mapEager(lockPet(Math.max(one, other)), (second): LockedPets => [...first, ...second])
        )
      }

      const applyStock = (
        locked: LockedPets,
        { petId, change }: OrderDecision["stocks"][number],
        cause: StockCause
      ) => {
        const pet = petWith(petId, locked)
        return pet === undefined ? Exit.succeed(noEvents) : Effect.mapEager(ledger.apply(pet, change, cause), eventsOf)
      }

      const applyStocks = (locked: LockedPets, stocks: OrderDecision["stocks"], cause: StockCause) => {
        const all: Array<NewEvent> = []
        const applied = eachOf(stocks, (stock) =>
          Effect.mapEager(applyStock(locked, stock, cause), (events) => all.push(...events))
        )
        return Effect.mapEager(applied, () => all)
      }

      /** Writes what follows from a decision: the stock with its ledger, and the events. */
      const settle = (
        record: OrderRecord,
        { facts, stocks }: OrderDecision,
        locked: LockedPets,
        { actor, clock }: Caller,
        at: string
      ): Effect.Effect<OrderRecord, StorageError, Transaction> =>
        Effect.flatMapEager(applyStocks(locked, stocks, { actor, at, orderId: record.id }), (events) =>
          Effect.mapEager(
            journal.append(clock, at, [...facts.map((fact) => orderEvent(record, fact)), ...events]),
            () => record
          )
        )

      const insert = (decision: OrderDecision, locked: LockedPets, caller: Caller, at: string) => {
        const owner = ownerOf(caller.principal)
        const record = { order: decision.order, version: 1, ...(owner === undefined ? {} : { owner }) }
        return Effect.flatMapEager(orders.insert(record), (id) =>
          settle({ id, ...record }, decision, locked, caller, at)
        )
      }

      /** Changes a locked order, unless it stays as it is. */
      const change = <E>(
        command: CommandName,
        id: number,
        options: ChangeOptions | undefined,
        also: number | undefined,
        decide: (record: OrderRecord, stockOf: StockOf, at: string) => Result.Result<OrderDecision, E>,
        rule: HostRules["Service"]["order" | "cancellation"]
      ): Effect.Effect<OrderRecord, E | NotFound | PreconditionFailed | RuleRefusal | StorageError> => {
        const decided = (
          record: OrderRecord,
          decision: OrderDecision,
          locked: LockedPets,
          caller: Caller,
          at: string
        ): Effect.Effect<OrderRecord, RuleRefusal | StorageError, Transaction> => {
          if (decision.facts.length === 0) return Exit.succeed(record)
          const after = { ...record, order: decision.order, version: record.version + 1 }
          return Effect.flatMapEager(rule?.(at, decision, petOf(decision, locked), record) ?? Exit.void, () =>
            Effect.flatMapEager(orders.save(after), () => settle(after, decision, locked, caller, at))
          )
        }
        return storage.transact(
          forCaller((caller) =>
            Effect.flatMapEager(Effect.flatMapEager(orders.lock(id), found(id, caller.principal)), (record) =>
              Effect.flatMapEager(checkVersion(record.version, options), () =>
                Effect.flatMapEager(lockPets(record.order.petId, also), (locked) => {
                  const at = journal.time(caller.clock)
                  return Effect.flatMapEager(Effect.fromResult(decide(record, stockOf(locked), at)), (decision) =>
                    decided(record, decision, locked, caller, at)
                  )
                })
              )
            )
          ),
          command,
          { table: "orders", id }
        )
      }

      const update = (id: number, input: OrderUpdate, options?: ChangeOptions) =>
        Effect.map(
          change(
            "orders.update",
            id,
            options,
            input.petId,
            (record, stocks, at) => amend(id, record.order, input, stocks, at),
            rules.order
          ),
          toVersioned
        )

      return {
        place: (input, options) =>
          idempotency.once(
            "orders.place",
            meaningOf(input),
            resultSchema,
            options,
            forCaller((caller) =>
              Effect.flatMapEager(lockPet(input.petId), (locked) => {
                const at = journal.time(caller.clock)
                return Effect.flatMapEager(Effect.fromResult(place(input, stockOf(locked), at)), (decision) =>
                  Effect.flatMapEager(rules.order?.(at, decision, petOf(decision, locked)) ?? Exit.void, () =>
                    Effect.mapEager(insert(decision, locked, caller, at), toVersioned)
                  )
                )
              })
            ),
            input.petId === undefined ? undefined : { table: "pets", id: input.petId }
          ),

        get: (id) =>
          withPrincipal((principal) =>
            Effect.map(Effect.flatMap(storage.orders.find(id), found(id, principal)), toVersioned)
          ),

        list: ({ petId, complete, ...query } = {}) =>
          withPrincipal((principal) =>
            paginate(
              query,
              { list: "orders", filters: { petId, complete }, start: 0, position: (record: OrderRecord) => record.id },
              (after, limit) => storage.orders.list({ petId, complete, owner: visibleOwner(principal), after, limit }),
              ({ id, order }) => toOrder(id, order)
            )
          ),

        update,

        complete: (id, options) => update(id, { complete: true }, options),

        cancel: (id, options) =>
          Effect.asVoid(
            change(
              "orders.cancel",
              id,
              options,
              undefined,
              (record, stocks) => cancel(id, record.order, stocks),
              rules.cancellation
            ).pipe(
              // The pet of an open order is never deleted.
              Effect.catchTag("UnknownPet", Effect.die)
            )
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
