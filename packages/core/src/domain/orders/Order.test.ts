import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { newOrder, orderContent } from "../../../testing/src/arbitraries.ts"
import type { PetstoreError } from "../errors/PetstoreError.ts"
import type { MovementKind } from "../inventory/Movement.ts"
import type { Stock } from "../inventory/Stock.ts"
import {
  amend,
  cancel,
  expire,
  type NewOrder,
  type OrderContent,
  type OrderDecision,
  type OrderUpdate,
  place,
  type StockOf,
  toOrder
} from "./Order.ts"

const rex = 1
const tom = 2
const nobody = 9
const orderId = 5
const now = "2026-05-04T09:30:00.000Z"
const later = "2027-01-01T00:00:00.000Z"

// ---- what is given

/** The units of a pet; those of the order itself are among the reserved ones. */
type Units = readonly [onHand: number, reserved?: number, hold?: "on hold"]
type Pets = { readonly [petId: number]: Units }

const toStock = ([onHand, reserved = 0, hold]: Units): Stock => ({ onHand, reserved, held: hold !== undefined })

const draft = (fields: Omit<OrderContent, "state"> = {}): OrderContent => ({ state: "draft", ...fields })
const open = (
  petId: number,
  quantity: number,
  fields: Pick<OrderContent, "expiresAt" | "shipDate"> = {}
): OrderContent => ({
  state: "open",
  petId,
  quantity,
  ...fields
})
const complete = (petId: number, quantity: number, shipDate = now): OrderContent => ({
  state: "complete",
  petId,
  quantity,
  shipDate
})

// ---- what is done

interface Command {
  readonly what: string
  readonly run: (stockOf: StockOf) => Result.Result<OrderDecision, PetstoreError>
}

const said = (fields: object): string => JSON.stringify(fields).replaceAll('"', "")

const placing = (input: NewOrder): Command => ({
  what: `an order ${said(input)} is placed`,
  run: (stockOf) => place(input, stockOf, now)
})
const changing = (order: OrderContent, update: OrderUpdate, expiresAt?: string): Command => ({
  what: `the order ${said(order)} is changed to ${said(update)}${expiresAt === undefined ? "" : ", where orders expire"}`,
  run: (stockOf) => amend(orderId, order, update, stockOf, now, expiresAt)
})
const cancelling = (order: OrderContent): Command => ({
  what: `the order ${said(order)} is cancelled`,
  run: (stockOf) => cancel(orderId, order, stockOf)
})
const expiring = (order: OrderContent): Command => ({
  what: `the order ${said(order)} is to expire`,
  run: (stockOf) => expire(order, stockOf, now)
})

// ---- what comes out

type Move = readonly [petId: number, kind: MovementKind, deltaOnHand: number, deltaReserved: number]

/** The stock of a pet after its moves. A pet without units is on hold no more. */
const moved = (stock: Stock, moves: ReadonlyArray<Move>): Stock => {
  const onHand = moves.reduce((sum, [, , delta]) => sum + delta, stock.onHand)
  return {
    onHand,
    reserved: moves.reduce((sum, move) => sum + move[3], stock.reserved),
    held: stock.held && onHand > 0
  }
}

const nameOf = (pets: Pets, { what }: Command): string => {
  const words = Object.entries(pets).map(
    ([id, [onHand, reserved = 0, hold]]) => `pet ${id} with ${reserved} of ${onHand} reserved${hold ? ", on hold" : ""}`
  )
  return `given ${words.join(" and ") || "no pets"}: when ${what}`
}

const run = (pets: Pets, command: Command) => command.run((petId) => pets[petId] && toStock(pets[petId]))

/** `facts`: what is reported, in the order of `placed and completed`; `moves`: of the stock of its pets, in their order. */
const gives = (pets: Pets, command: Command, order: OrderContent, facts: string, ...moves: ReadonlyArray<Move>) =>
  it(`${nameOf(pets, command)}, then ${facts === "" ? "nothing changes" : `it is ${said(order)} and ${facts}`}`, () => {
    const decided = run(pets, command)
    if (Result.isFailure(decided)) return assert.fail(decided.failure.message)
    assert.deepStrictEqual(decided.success.order, order)
    assert.strictEqual(decided.success.facts.join(" and "), facts)
    const changes = decided.success.stocks.filter(({ change }) => change.movements.length > 0)
    assert.deepStrictEqual(
      changes.flatMap(({ change, petId }) =>
        change.movements.map((one): Move => [petId, one.kind, one.deltaOnHand, one.deltaReserved])
      ),
      moves
    )
    for (const { change, petId } of changes) {
      const ofPet = moves.filter(([id]) => id === petId)
      assert.deepStrictEqual(change.stock, moved(toStock(pets[petId] ?? [0]), ofPet))
    }
  })

const givesTheSame = (pets: Pets, order: OrderContent, ...updates: ReadonlyArray<OrderUpdate>): void => {
  for (const update of updates) gives(pets, changing(order, update), order, "")
}

const isRefused = (pets: Pets, command: Command, code: string, details: object) =>
  it(`${nameOf(pets, command)}, then it is rejected: ${code}`, () => {
    const decided = run(pets, command)
    if (Result.isSuccess(decided)) return assert.fail("it was not rejected")
    assert.deepStrictEqual([decided.failure.code, decided.failure.details], [code, details])
  })

describe("placing an order", () => {
  describe("without a pet makes a draft, which holds no stock", () => {
    for (const input of [{}, { id: 99 }, { complete: false }]) gives({}, placing(input), draft(), "placed")
    for (const input of [{ quantity: 3 }, { shipDate: later }]) gives({}, placing(input), draft(input), "placed")
    isRefused({}, placing({ complete: true }), "order_is_draft", {})
  })

  describe("with a pet reserves its units", () => {
    gives({ [rex]: [3] }, placing({ petId: rex }), open(rex, 1), "placed", [rex, "reserved", 0, 1])
    gives(
      { [rex]: [3, 1] },
      placing({ petId: rex, quantity: 2, shipDate: later, complete: false }),
      open(rex, 2, { shipDate: later }),
      "placed",
      [rex, "reserved", 0, 2]
    )
    const short = { petId: rex, requested: 3, available: 2 }
    isRefused({ [rex]: [3, 1] }, placing({ petId: rex, quantity: 3 }), "insufficient_stock", short)
    const held = { petId: rex, status: "pending", quantity: 3 }
    isRefused({ [rex]: [3, 0, "on hold"] }, placing({ petId: rex }), "pet_not_available", held)
    isRefused({ [rex]: [3] }, placing({ petId: nobody }), "unknown_pet", { petId: nobody })
  })

  describe("as complete reserves and ships at once", () => {
    for (const [input, shipDate] of [
      [{}, now],
      [{ shipDate: later }, later]
    ] as const) {
      gives(
        { [rex]: [2] },
        placing({ petId: rex, quantity: 2, complete: true, ...input }),
        complete(rex, 2, shipDate),
        "placed and completed",
        [rex, "reserved", 0, 2],
        [rex, "shipped", -2, -2]
      )
    }
    const short = { petId: rex, requested: 2, available: 1 }
    isRefused({ [rex]: [1] }, placing({ petId: rex, quantity: 2, complete: true }), "insufficient_stock", short)
  })
})

describe("changing a draft", () => {
  givesTheSame({}, draft(), {}, { id: 99, complete: false }, { shipDate: null })
  givesTheSame({}, draft({ quantity: 2 }), { quantity: 2 })
  gives({}, changing(draft({ quantity: 2 }), { quantity: 3 }), draft({ quantity: 3 }), "updated")
  gives({}, changing(draft(), { shipDate: later }), draft({ shipDate: later }), "updated")
  gives({}, changing(draft({ shipDate: later }), { shipDate: null }), draft(), "updated")
  isRefused({}, changing(draft(), { quantity: 2, complete: true }), "order_is_draft", {})

  describe("by giving it a pet opens it", () => {
    gives({ [rex]: [3] }, changing(draft(), { petId: rex }), open(rex, 1), "updated", [rex, "reserved", 0, 1])
    gives(
      { [rex]: [3] },
      changing(draft({ quantity: 2, shipDate: later }), { petId: rex }),
      open(rex, 2, { shipDate: later }),
      "updated",
      [rex, "reserved", 0, 2]
    )
    gives(
      { [rex]: [3] },
      changing(draft({ quantity: 2 }), { petId: rex, quantity: 3, complete: true }),
      complete(rex, 3),
      "updated and completed",
      [rex, "reserved", 0, 3],
      [rex, "shipped", -3, -3]
    )
    const short = { petId: rex, requested: 2, available: 1 }
    isRefused({ [rex]: [1] }, changing(draft({ quantity: 2 }), { petId: rex }), "insufficient_stock", short)
    isRefused({}, changing(draft(), { petId: nobody }), "unknown_pet", { petId: nobody })
  })
})

describe("changing an open order", () => {
  const two = open(rex, 2)
  const shippedLater = open(rex, 2, { shipDate: later })

  describe("to what it is already changes nothing", () => {
    const same = { id: 99, petId: rex, quantity: 2, complete: false }
    givesTheSame({ [rex]: [3, 2] }, two, {}, same, { shipDate: null })
    givesTheSame({ [rex]: [3, 2, "on hold"] }, two, { quantity: 2 })
  })

  describe("in its ship date moves no stock", () => {
    gives({ [rex]: [3, 2, "on hold"] }, changing(two, { shipDate: later }), shippedLater, "updated")
    gives({ [rex]: [3, 2] }, changing(shippedLater, { shipDate: null }), two, "updated")
  })

  describe("in its quantity moves the difference", () => {
    gives({ [rex]: [5, 2] }, changing(two, { quantity: 5 }), open(rex, 5), "updated", [rex, "reserved", 0, 3])
    for (const units of [
      [3, 3],
      [3, 3, "on hold"]
    ] as const) {
      gives({ [rex]: units }, changing(two, { quantity: 1 }), open(rex, 1), "updated", [rex, "unreserved", 0, -1])
    }
    const held = { petId: rex, status: "pending", quantity: 3 }
    isRefused({ [rex]: [3, 2, "on hold"] }, changing(two, { quantity: 3 }), "pet_not_available", held)
    const short = { petId: rex, requested: 2, available: 1 }
    isRefused({ [rex]: [5, 4] }, changing(two, { quantity: 4 }), "insufficient_stock", short)
  })

  describe("to anything else leaves when it expires, unlike a draft that opens", () => {
    for (const expiresAt of [{ expiresAt: now }, {}]) {
      const order = open(rex, 2, expiresAt)
      gives({ [rex]: [3, 2] }, changing(order, { shipDate: later }, later), { ...order, shipDate: later }, "updated")
    }
  })

  describe("to another pet moves the reservation", () => {
    gives(
      { [rex]: [3, 2], [tom]: [4, 1] },
      changing(two, { petId: tom, quantity: 3 }),
      open(tom, 3),
      "updated",
      [rex, "unreserved", 0, -2],
      [tom, "reserved", 0, 3]
    )
    gives(
      { [rex]: [3, 2, "on hold"], [tom]: [2] },
      changing(two, { petId: tom, complete: true }),
      complete(tom, 2),
      "updated and completed",
      [rex, "unreserved", 0, -2],
      [tom, "reserved", 0, 2],
      [tom, "shipped", -2, -2]
    )
    const short = { petId: tom, requested: 2, available: 1 }
    isRefused({ [rex]: [3, 2], [tom]: [1] }, changing(two, { petId: tom }), "insufficient_stock", short)
    isRefused({ [rex]: [3, 2] }, changing(two, { petId: nobody }), "unknown_pet", { petId: nobody })
  })

  describe("to complete ships it", () => {
    gives({ [rex]: [3, 2] }, changing(two, { complete: true }), complete(rex, 2), "completed", [rex, "shipped", -2, -2])
    gives(
      { [rex]: [2, 2, "on hold"] },
      changing(shippedLater, { complete: true }),
      complete(rex, 2, later),
      "completed",
      [rex, "shipped", -2, -2]
    )
    gives(
      { [rex]: [3, 2] },
      changing(shippedLater, { shipDate: null, complete: true }),
      complete(rex, 2),
      "updated and completed",
      [rex, "shipped", -2, -2]
    )
    gives(
      { [rex]: [3, 2] },
      changing(two, { quantity: 3, complete: true }),
      complete(rex, 3),
      "updated and completed",
      [rex, "reserved", 0, 1],
      [rex, "shipped", -3, -3]
    )
    const short = { petId: rex, requested: 1, available: 0 }
    isRefused({ [rex]: [2, 2] }, changing(two, { quantity: 3, complete: true }), "insufficient_stock", short)
  })
})

describe("changing a complete order", () => {
  const shipped = complete(rex, 2)
  const same = { petId: rex, quantity: 2, shipDate: now, complete: true }
  givesTheSame({ [rex]: [3] }, shipped, {}, { id: 99 }, { complete: true }, same)
  // The pet may be gone by then.
  givesTheSame({}, shipped, { complete: true })
  for (const update of [
    { petId: tom },
    { quantity: 1 },
    { shipDate: later },
    { shipDate: null },
    { complete: false }
  ]) {
    isRefused({ [rex]: [3], [tom]: [3] }, changing(shipped, update), "order_already_complete", { orderId })
  }
})

describe("cancelling an order", () => {
  const cancelled: OrderContent = { state: "cancelled", petId: rex, quantity: 2 }
  gives({}, cancelling(draft({ quantity: 2 })), { state: "cancelled", quantity: 2 }, "cancelled")
  for (const units of [
    [3, 2],
    [3, 3, "on hold"]
  ] as const) {
    gives({ [rex]: units }, cancelling(open(rex, 2)), cancelled, "cancelled", [rex, "cancelled", 0, -2])
  }
  isRefused({ [rex]: [3] }, cancelling(complete(rex, 2)), "order_already_complete", { orderId })

  describe("that is cancelled already gives nothing back twice", () => {
    gives({ [rex]: [3, 2] }, cancelling(cancelled), cancelled, "")
    isRefused({ [rex]: [3, 2] }, changing(cancelled, { quantity: 1 }), "order_already_complete", { orderId })
  })
})

describe("expiring an order", () => {
  const overdue = open(rex, 2, { expiresAt: now })
  const expired: OrderContent = { ...overdue, state: "expired" }
  gives({ [rex]: [3, 2] }, expiring(overdue), expired, "expired", [rex, "expired", 0, -2])
  for (const order of [open(rex, 2, { expiresAt: later }), open(rex, 2), complete(rex, 2), expired])
    gives({ [rex]: [3, 2] }, expiring(order), order, "")
})

describe("the order that callers see", () => {
  it.prop("has the stored fields, and is complete exactly if it was shipped", { order: orderContent }, ({ order }) => {
    const { expiresAt: _, state, ...fields } = order
    assert.deepStrictEqual(toOrder(orderId, order), { id: orderId, ...fields, complete: state === "complete" })
  })

  it.prop("of a new draft repeats what was sent", { input: newOrder }, ({ input }) => {
    const { complete: _, id: __, petId: ___, ...fields } = input
    const placed = place(fields, () => undefined, now)
    if (Result.isFailure(placed)) return assert.fail(placed.failure.message)
    assert.deepStrictEqual(toOrder(orderId, placed.success.order), { id: orderId, ...fields, complete: false })
  })
})
