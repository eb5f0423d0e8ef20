import * as Result from "effect/Result"
import { ownerOf, type PrincipalInfo, visibleOwner } from "../../domain/access/Principal.ts"
import type { ValidationFailed } from "../../domain/errors/InputErrors.ts"
import { atIndex } from "../../domain/errors/PetstoreError.ts"
import { NotFound, type PreconditionFailed } from "../../domain/errors/RequestErrors.ts"
import { type NewEvent, newEvent } from "../../domain/events/Event.ts"
import type { Movement } from "../../domain/inventory/Movement.ts"
import type { NewOrder, Order, OrderDecision, OrderUpdate, StockOf } from "../../domain/orders/Order.ts"
import * as Rules from "../../domain/orders/Order.ts"
import {
  InsufficientStock,
  type OrderIsDraft,
  type OrderLimitExceeded,
  type PetNotAvailable,
  UnknownPet
} from "../../domain/orders/OrderErrors.ts"
import { type CountedDecision, type Holdings, mostCounted, OwnerHoldings } from "../../domain/orders/OrderLimits.ts"
import type { OrderFact } from "../../domain/orders/OrderState.ts"
import { type Command, fail, mapFailure, orFail } from "../../kernel/Command.ts"
import { categories, draftsOf, ledger, openOrdersOf, orders, pets } from "../../tables/index.ts"
import type { OrderRecord } from "../../tables/orderTable.ts"
import type { PetRecord } from "../../tables/petTable.ts"
import type { Call } from "../Call.ts"
import { type checkCancellation, checkOrder, type Refused } from "../hostRules.ts"
import { savePet } from "../inventory/ledger.ts"
import type { ChangeOptions, ReserveOptions, Versioned } from "../Options.ts"
import { checkVersion } from "../precondition.ts"
import { freed } from "./freed.ts"

/**
 * Reads what an owner of orders holds, so that nobody else adds to it until the transaction ends; undefined if the store does not
 * limit this caller. They are counted here, not kept in a row for each owner, which every command that ends an order would have to lock. Comes behind all other locks of a command: those of the pets, and of their categories if rules look at them.
 */
function* lockHoldings(
  { principal, rules, tx }: Call,
  owner: string | undefined,
  pets: Iterable<PetRecord>
): Command<OwnerHoldings | undefined> {
  const { order, orderLimits } = rules
  if (orderLimits === undefined || owner === undefined) return undefined
  const isLimited = orderLimits.of === "customers" ? principal.ownOnly === true : ownerOf(principal) !== undefined
  if (!isLimited) return undefined
  if (order !== undefined) {
    for (const id of new Set([...pets].map(({ categoryId }) => categoryId).sort((a, b) => a - b))) {
      yield* tx.lockShared(categories, id)
    }
  }
  const open = yield* tx.all(openOrdersOf, owner, mostCounted + 1)
  const drafts = yield* tx.all(draftsOf, owner, mostCounted + 1)
  return new OwnerHoldings(
    orderLimits,
    [...open, ...drafts].map((record) => record.order)
  )
}

/** Why stock cannot be reserved for an order. */
export type ReservationError = UnknownPet | PetNotAvailable | InsufficientStock | OrderLimitExceeded

type ChangeError = NotFound | PreconditionFailed | Refused

/** The pets of an order, locked: at most two. */
type LockedPets = ReadonlyArray<PetRecord>

const petWith = (petId: number | undefined, [one, other]: LockedPets): PetRecord | undefined =>
  one?.id === petId ? one : other?.id === petId ? other : undefined

export const stockOf =
  (locked: LockedPets): StockOf =>
  (petId) =>
    petWith(petId, locked)?.stock

export const toVersioned = ({ id, order, version }: OrderRecord): Versioned<Order> => ({
  ...Rules.toOrder(id, order),
  version
})

/** V8 finds a property by a text that it knows in a fraction of the time of one that is made. */
const eventOf = {
  placed: "order.placed",
  updated: "order.updated",
  completed: "order.completed",
  cancelled: "order.cancelled",
  expired: "order.expired"
} as const satisfies { readonly [Fact in OrderFact]: `order.${Fact}` }

const orderEvent = (record: OrderRecord, fact: OrderFact): NewEvent => {
  const { id, order, version } = record
  if (fact === "cancelled" || fact === "expired") return newEvent(eventOf[fact], { id })
  return newEvent(eventOf[fact], { ...Rules.toOrder(id, order), state: order.state, version })
}

/** Whether an order exists for a principal. For a caller limited to their own orders, the others do not. */
export const isVisible = ({ owner }: OrderRecord, principal: PrincipalInfo): boolean => {
  const only = visibleOwner(principal)
  return only === undefined || owner === only
}

/** In ascending id, so that two orders that move between the same pets never wait for each other. */
export function* lockPets({ tx }: Call, one: number | undefined, other = one): Command<LockedPets> {
  const ids =
    one === undefined || other === undefined || one === other
      ? [one ?? other]
      : [Math.min(one, other), Math.max(one, other)]
  const locked: Array<PetRecord> = []
  for (const id of ids) {
    const pet = id === undefined ? undefined : yield* tx.lock(pets, id)
    if (pet !== undefined) locked.push(pet)
  }
  return locked
}

/** What a change of an order adds to the ledger and to the log. */
interface OrderEffects {
  readonly movements: ReadonlyArray<Movement>
  readonly events: ReadonlyArray<NewEvent>
}

/** Saves the stock that follows from a decision. */
export const saveStocks = (
  call: Call,
  at: string,
  record: OrderRecord,
  { facts, stocks }: OrderDecision,
  locked: LockedPets
): OrderEffects => {
  const movements: Array<Movement> = []
  const events: Array<NewEvent> = []
  for (const fact of facts) events.push(orderEvent(record, fact))
  for (const { change, petId } of stocks) {
    const pet = petWith(petId, locked)
    if (pet === undefined) continue
    const saved = savePet(call, at, pet, change, { orderId: record.id })
    movements.push(...saved.movements)
    events.push(...saved.events)
  }
  return { movements, events }
}

/** Writes what follows from a decision: the stock with its ledger, and the events. */
const settle = (call: Call, at: string, record: OrderRecord, decision: OrderDecision, locked: LockedPets): void => {
  const { events, movements } = saveStocks(call, at, record, decision, locked)
  call.tx.append(ledger, movements)
  call.record(at, events)
}

/** Whether a command must know what the owner of the order holds. One that ships the order adds nothing to it. */
export const isCounted = ({ rules }: Call, { complete }: OrderUpdate): boolean =>
  rules.orderLimits !== undefined && (complete !== true || rules.order !== undefined)

/** A decision. One that is short of units which overdue orders hold is made anew without these. `except`: the order that it is about. */
const decided = <A, E>(call: Call, decision: Result.Result<A, E>, except?: number) =>
  Result.isFailure(decision) && decision.failure instanceof InsufficientStock
    ? freed(call, decision.failure, except)
    : orFail(decision)

/** Places an order, and reserves stock for it: until it expires, if it does. `known`: what its owner holds, if that is locked. */
export function* place(
  call: Call,
  input: NewOrder,
  options?: ReserveOptions,
  expiresAt?: string,
  known?: OwnerHoldings
): Command<Versioned<Order>, ReservationError | OrderIsDraft | ValidationFailed | Refused> {
  if (input.petId === undefined && options?.reserveFor !== undefined) return yield* fail(Rules.draftReservesNothing())
  const owner = ownerOf(call.principal)
  const locked = yield* lockPets(call, input.petId)
  const holdings = known ?? (isCounted(call, input) ? yield* lockHoldings(call, owner, locked) : undefined)
  const at = call.now()
  const until = input.petId === undefined ? undefined : expiresAt
  const placed = yield* decided(call, Rules.place(input, stockOf(locked), at, until))
  const decision: CountedDecision = holdings === undefined ? placed : yield* orFail(holdings.count(placed))
  if (call.rules.order !== undefined) {
    yield* checkOrder(call, at, decision, petWith(decision.order.petId, locked), undefined, decision.held)
  }
  const { order } = decision
  const record = yield* call.tx.insert(orders, (id) =>
    owner === undefined
      ? { id, order, version: 1, createdAt: at, updatedAt: at }
      : { id, order, version: 1, createdAt: at, updatedAt: at, owner }
  )
  settle(call, at, record, decision, locked)
  return toVersioned(record)
}

/**
 * Places orders, all or none, each of which sees the ones before it. Their pets are locked first, so that two baskets with the same
 * pets never wait for each other in a circle. The error of an order has its place among them.
 */
export function* placeAll(
  call: Call,
  inputs: ReadonlyArray<NewOrder>,
  options?: ReserveOptions,
  expiresAt?: string
): Command<ReadonlyArray<Order>, ReservationError | OrderIsDraft | ValidationFailed | Refused> {
  const { rules, tx } = call
  const locked = yield* tx.lockAll(
    pets,
    inputs.flatMap(({ petId }) => petId ?? [])
  )
  if (rules.order !== undefined) {
    for (const categoryId of new Set([...locked.values()].map((pet) => pet.categoryId).sort((a, b) => a - b))) {
      yield* tx.lockShared(categories, categoryId)
    }
  }
  const holdings =
    rules.orderLimits === undefined ? undefined : yield* lockHoldings(call, ownerOf(call.principal), locked.values())
  const placed: Array<Order> = []
  for (const [index, input] of inputs.entries()) {
    const { version: _, ...order } = yield* mapFailure(place(call, input, options, expiresAt, holdings), (error) =>
      atIndex(error, index)
    )
    placed.push(order)
  }
  return placed
}

/** Changes an order, unless it stays as it is. `also`: another pet that it may get. `counts`: whether what its owner holds is counted. */
export function* change<E>(
  call: Call,
  id: number,
  options: ChangeOptions | undefined,
  also: number | undefined,
  counts: boolean,
  decide: (
    record: OrderRecord,
    stockOf: StockOf,
    at: string,
    holdings: OwnerHoldings | undefined
  ) => Result.Result<CountedDecision, E>,
  check: ((...args: [...Parameters<typeof checkCancellation>, held?: Holdings]) => Command<void, Refused>) | undefined
): Command<OrderRecord, E | ChangeError> {
  const record = yield* call.tx.lock(orders, id)
  if (record === undefined || !isVisible(record, call.principal)) return yield* fail(NotFound.of("order", id))
  yield* orFail(checkVersion(record.version, options))
  const locked = yield* lockPets(call, record.order.petId, also)
  const holdings = counts ? yield* lockHoldings(call, record.owner, locked) : undefined
  const at = call.now()
  const decision = yield* decided(call, decide(record, stockOf(locked), at, holdings), id)
  if (decision.facts.length === 0) return record
  yield* check?.(call, at, decision, petWith(decision.order.petId, locked), record, decision.held) ?? []
  const after = { ...record, order: decision.order, version: record.version + 1, updatedAt: at }
  call.tx.save(orders, after)
  settle(call, at, after, decision, locked)
  return after
}

/** The pet of an open order is never deleted. */
export const withPet = <A, E>(decision: Result.Result<A, E>): Result.Result<A, Exclude<E, UnknownPet>> =>
  Result.mapError(decision, (error) => {
    if (error instanceof UnknownPet) throw error
    return error as Exclude<E, UnknownPet>
  })
