import type { Movement, MovementKind } from "../../domain/Movement.ts"
import type { OrderContent } from "../../domain/Order.ts"
import { orderStates } from "../../domain/OrderState.ts"
import type { OrderRecord } from "../../ports/OrderRows.ts"
import { Check } from "./Check.ts"

/** What the movements of one order come to on one pet. */
interface Effect {
  onHand: number
  reserved: number
  /** The kind of the movement that closed the order. */
  closed?: MovementKind
  /** The `seq` of a movement after that one. */
  late?: number
}

const nothing: Effect = { onHand: 0, reserved: 0 }

const expectedSums = ({ quantity = 0, state }: OrderContent) => ({
  onHand: orderStates[state]?.units === "shipped" ? 0 - quantity : 0,
  reserved: orderStates[state]?.units === "reserved" ? quantity : 0
})

const expectedEnd = ({ petId, state }: OrderContent): MovementKind | undefined =>
  petId === undefined ? undefined : orderStates[state]?.end?.movement

const ends = new Set(Object.values(orderStates).map(({ end }) => end?.movement))

/** The rules of the movements of orders, held against the orders. */
export class OrderLedgerChecks {
  readonly sums = new Check(
    "order_movements",
    "The movements of an order add up to its state: its quantity reserved while it is open, shipped once it is complete, nothing otherwise or on another pet."
  )
  readonly closed = new Check(
    "order_closed_once",
    "A complete order was shipped once, a cancelled one with a pet cancelled once, each as its last movement; no other order was either."
  )
  readonly all = [this.sums, this.closed]
  /** Those of the bucket that is being checked. */
  private orders: ReadonlyMap<number, OrderRecord> = new Map()
  /** On the pet of the order, once that pet's ledger is read. */
  private readonly effects = new Map<number, Effect>()
  /** On the pet whose ledger is being read. */
  private readonly current = new Map<number, Effect>()
  private petId: number | undefined

  /** Begins with the orders of a bucket. */
  begin(orders: ReadonlyMap<number, OrderRecord>): void {
    this.orders = orders
    this.effects.clear()
    this.petId = undefined
  }

  /** Notes the next movement; those of one pet come together. Call it for all of them before {@link addOrder}. */
  addMovement({ deltaOnHand, deltaReserved, kind, orderId, petId, seq }: Movement): void {
    if (petId !== this.petId) this.leavePet()
    this.petId = petId
    if (orderId === undefined) return
    const effect = this.current.get(orderId) ?? { ...nothing }
    effect.onHand += deltaOnHand
    effect.reserved += deltaReserved
    if (effect.closed !== undefined) effect.late = seq
    if (ends.has(kind)) effect.closed = kind
    this.current.set(orderId, effect)
  }

  addOrder({ id: orderId, order }: OrderRecord): void {
    this.leavePet()
    const { closed, late, onHand, reserved } = this.effects.get(orderId) ?? nothing
    const { petId } = order
    this.sums.agree({ orderId, petId }, { onHand, reserved }, expectedSums(order))
    this.closed.agree({ orderId, petId }, { closed, late }, { closed: expectedEnd(order), late: undefined })
  }

  /** Keeps what orders did to their own pet; to others they must have done nothing that stays. */
  private leavePet(): void {
    const { petId } = this
    for (const [orderId, effect] of this.current) {
      const { closed, late, onHand, reserved } = effect
      if (this.orders.get(orderId)?.order.petId === petId) {
        this.effects.set(orderId, effect)
      } else if (this.orders.has(orderId)) {
        this.sums.agree({ orderId, petId }, { onHand, reserved }, { onHand: 0, reserved: 0 })
        this.closed.agree({ orderId, petId }, { closed, late }, { closed: undefined, late: undefined })
      }
    }
    this.current.clear()
  }
}
