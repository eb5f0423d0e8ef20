import type { Movement, MovementKind } from "../../domain/inventory/Movement.ts"
import type { OrderContent } from "../../domain/orders/Order.ts"
import { orderStates } from "../../domain/orders/OrderState.ts"
import type { OrderRecord } from "../../tables/orderTable.ts"

/** What the movements of one order add up to on one pet. */
interface OrderEffect {
  readonly onHand: number
  readonly reserved: number
  /** The kind of the movement that closed the order. */
  readonly closed?: MovementKind
  /** The `seq` of a movement after that one. */
  readonly late?: number
}

/** What the movements of an order did to a pet. `order` is undefined if the pet is not the one of the order. */
export interface OrderEffectOnPet {
  readonly orderId: number
  readonly petId: number | undefined
  readonly order: OrderContent | undefined
  readonly effect: OrderEffect
}

const none: OrderEffect = { onHand: 0, reserved: 0 }

const ends = new Set(Object.values(orderStates).map(({ end }) => end?.movement))

/** Adds up the movements of orders. Movements of one pet come together, so the orders of one pet are in memory at a time. */
export class OrderEffects {
  private readonly orders: ReadonlyMap<number, OrderRecord>
  private readonly check: (effect: OrderEffectOnPet) => void
  /** On the pet of the order, once that pet's ledger is read. */
  private readonly effects = new Map<number, OrderEffect>()
  /** On the pet whose ledger is being read. */
  private readonly current = new Map<number, OrderEffect>()
  private petId: number | undefined

  constructor(check: (effect: OrderEffectOnPet) => void, orders: ReadonlyMap<number, OrderRecord>) {
    this.check = check
    this.orders = orders
  }

  /** Adds the next movement. */
  add({ deltaOnHand, deltaReserved, kind, orderId, petId, seq }: Movement): void {
    if (petId !== this.petId) this.leavePet()
    this.petId = petId
    if (orderId === undefined) return
    const before = this.current.get(orderId) ?? none
    this.current.set(orderId, {
      ...before,
      onHand: before.onHand + deltaOnHand,
      reserved: before.reserved + deltaReserved,
      ...(before.closed === undefined ? {} : { late: seq }),
      ...(ends.has(kind) ? { closed: kind } : {})
    })
  }

  /** Checks what all movements of an order did to its own pet. Call it after the last movement. */
  checkOrder({ id, order }: OrderRecord): void {
    this.leavePet()
    this.check({ orderId: id, petId: order.petId, order, effect: this.effects.get(id) ?? none })
  }

  /** Keeps what orders did to their own pet; on others they must have done nothing that stays. */
  private leavePet(): void {
    const { petId } = this
    for (const [orderId, effect] of this.current) {
      const record = this.orders.get(orderId)
      if (record?.order.petId === petId) this.effects.set(orderId, effect)
      else if (record !== undefined) this.check({ orderId, petId, order: undefined, effect })
    }
    this.current.clear()
  }
}
