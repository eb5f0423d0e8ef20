import type { Movement, MovementKind } from "../../domain/Movement.ts"
import type { Stock } from "../../domain/Stock.ts"
import type { OrderRecord } from "../../ports/OrderRows.ts"
import type { PetRecord } from "../../ports/PetRows.ts"
import { Check } from "./Check.ts"
import { type MovementTrace, sameTrace, traced } from "./MovementTrace.ts"
import { inBounds } from "./StockChecks.ts"

/** The ledger of one pet, as far as it is read. */
interface Ledger {
  readonly last: number
  readonly stock: Stock
  readonly removed: boolean
  readonly trace?: MovementTrace
}

const unwritten: Ledger = { last: 0, stock: { onHand: 0, reserved: 0, held: false }, removed: false }

const after = ({ held, onHand, reserved }: Stock, { deltaOnHand, deltaReserved, kind }: Movement): Stock => {
  const left = onHand + deltaOnHand
  return {
    onHand: left,
    reserved: reserved + deltaReserved,
    held: (kind === "held" || (kind !== "unheld" && held)) && left > 0
  }
}

/** What each kind of movement may do, and to which stock. */
const fits: { readonly [K in MovementKind]: (movement: Movement, before: Stock) => boolean } = {
  initial: (m) => m.seq === 1 && m.deltaOnHand >= 0 && m.deltaReserved === 0,
  set: (m) => m.deltaOnHand !== 0 && m.deltaReserved === 0,
  held: (m, { held, onHand }) => m.deltaOnHand === 0 && m.deltaReserved === 0 && !held && onHand > 0,
  unheld: (m, { held }) => m.deltaOnHand === 0 && m.deltaReserved === 0 && held,
  reserved: (m, { held }) => m.deltaOnHand === 0 && m.deltaReserved > 0 && !held,
  unreserved: (m) => m.deltaOnHand === 0 && m.deltaReserved < 0,
  shipped: (m) => m.deltaOnHand < 0 && m.deltaReserved === m.deltaOnHand,
  cancelled: (m) => m.deltaOnHand === 0 && m.deltaReserved < 0,
  written_off: (m, { onHand }) => m.deltaOnHand < 0 && m.deltaOnHand + onHand === 0 && m.deltaReserved === 0,
  removed: (m, { onHand }) => m.deltaOnHand + onHand === 0 && m.deltaReserved === 0
}

const canFollow = (movement: Movement, { last, removed, stock }: Ledger): boolean =>
  !removed && (last > 0 || movement.kind === "initial") && fits[movement.kind]?.(movement, stock) === true

const madeForOrders: ReadonlySet<MovementKind> = new Set(["reserved", "unreserved", "shipped", "cancelled"])

/** The rules of the stock ledger, held against the pets. */
export class LedgerChecks {
  readonly numbered = new Check(
    "ledger_numbered",
    "The movements of a pet are numbered 1, 2, 3 and so on, up to the last one that the pet knows of."
  )
  readonly sums = new Check("ledger_adds_up", "The stock of a pet, its hold included, is what its movements add up to.")
  readonly oversold = new Check(
    "never_oversold",
    "After every movement ever, at least as many units were on hand as were reserved, and neither was below zero."
  )
  readonly kinds = new Check(
    "movements_fit",
    "A movement changes what its kind says, in a state in which it can; the first is the initial one, the last of a deleted pet, and of no other, its removal."
  )
  readonly known = new Check(
    "movements_known",
    "A movement is of a pet that exists, of an order that exists where its kind is one of orders, and of somebody."
  )
  readonly told = new Check(
    "movements_told",
    "The events of the stock of a pet tell of all of its movements: when they were, and the stock after them."
  )
  readonly all = [this.numbered, this.sums, this.oversold, this.kinds, this.known, this.told]
  private readonly ledgers = new Map<number, Ledger>()

  /** Counts the next movement of a pet. Call it for all of them before {@link addPet}. */
  addMovement(movement: Movement, pet: PetRecord | undefined): void {
    const { actor, at, kind, orderId, petId, seq } = movement
    const ledger = this.ledgers.get(petId) ?? unwritten
    const stock = after(ledger.stock, movement)

    this.numbered.expect(seq === ledger.last + 1, () => ({ petId, seq, expected: ledger.last + 1 }))
    this.kinds.expect(canFollow(movement, ledger), () => ({ ...movement, before: ledger.stock }))
    this.oversold.expect(inBounds(stock), () => ({ petId, seq, onHand: stock.onHand, reserved: stock.reserved }))
    const namesOrder = madeForOrders.has(kind) === (orderId !== undefined)
    this.known.expect(namesOrder && pet !== undefined && actor !== "", () => ({ ...movement }))

    const trace = traced(ledger.trace, at, stock)
    this.ledgers.set(petId, { last: seq, stock, removed: ledger.removed || kind === "removed", trace })
  }

  /** Counts a movement of an order. */
  addMovementOf(movement: Movement, order: OrderRecord | undefined): void {
    if (order === undefined) this.known.expect(false, () => ({ ...movement }))
  }

  /** `told` is what the events say of the movements of the pet. */
  addPet({ deleted, id: petId, lastMovement, stock }: PetRecord, told: MovementTrace | undefined): void {
    const ledger = this.ledgers.get(petId) ?? unwritten
    if (ledger.last > 0) this.numbered.agree({ petId }, { lastMovement }, { lastMovement: ledger.last })
    else this.numbered.expect(false, () => ({ petId, lastMovement, problem: "it has no movement" }))
    this.sums.agree({ petId }, { ...stock }, { ...ledger.stock })
    this.kinds.agree({ petId }, { deleted }, { deleted: ledger.removed })
    this.told.expect(sameTrace(ledger.trace, told), () => ({
      petId,
      lastMovement: shown(ledger.trace),
      lastTold: shown(told)
    }))
  }

  /** Call it when every pet of a bucket was added. */
  finish(): void {
    this.ledgers.clear()
  }
}

const shown = (trace: MovementTrace | undefined) => (trace === undefined ? null : { at: trace.at, ...trace.stock })
