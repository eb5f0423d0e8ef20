import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { newOrder, orderContent } from "../../../testing/src/arbitraries.ts"
import { aStock } from "../../../testing/src/builders.ts"
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
import type { OrderFact } from "./OrderState.ts"

const rex = 1
const tom = 2
const nobody = 9
const orderId = 5
const now = "2026-05-04T09:30:00.000Z"
const later = "2027-01-01T00:00:00.000Z"

// ---- what is given

type Pets = { readonly [petId: number]: Stock }

/** Units of a pet; those of the order itself are among the reserved ones. */
const units = (onHand: number, reserved = 0): Stock => aStock({ onHand, reserved })
const onHold = (onHand: number, reserved = 0): Stock => aStock({ onHand, reserved, held: true })

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
const changing = (order: OrderContent, update: OrderUpdate): Command => ({
  what: `the order ${said(order)} is changed to ${said(update)}`,
  run: (stockOf) => amend(orderId, order, update, stockOf, now)
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

interface Effects {
  readonly order: OrderContent
  readonly facts: ReadonlyArray<OrderFact>
  /** The stock afterwards, of the pets whose stock moves. */
  readonly stocks?: Pets
  readonly movements?: { readonly [petId: number]: ReadonlyArray<readonly [MovementKind, number, number]> }
}

const effectsOf = ({ facts, order, stocks }: OrderDecision): Required<Effects> => {
  const moving = stocks.filter(({ change }) => change.movements.length > 0)
  return {
    order,
    facts,
    stocks: Object.fromEntries(moving.map(({ change, petId }) => [petId, change.stock])),
    movements: Object.fromEntries(
      moving.map(({ change, petId }) => [
        petId,
        change.movements.map(({ deltaOnHand, deltaReserved, kind }) => [kind, deltaOnHand, deltaReserved] as const)
      ])
    )
  }
}

const petWords = (pets: Pets): string =>
  Object.entries(pets)
    .map(
      ([id, { held, onHand, reserved }]) => `pet ${id} with ${reserved} of ${onHand} reserved${held ? ", on hold" : ""}`
    )
    .join(" and ") || "no pets"

const given = (pets: Pets) => ({
  when: (command: Command) => {
    const name = `given ${petWords(pets)}: when ${command.what}`
    const run = () => command.run((petId) => pets[petId])
    return {
      gives: (effects: Effects) =>
        it(`${name}, then it is ${said(effects.order)} and ${effects.facts.join(" and ")}`, () => {
          const decided = run()
          if (Result.isFailure(decided)) return assert.fail(decided.failure.message)
          assert.deepStrictEqual(effectsOf(decided.success), { stocks: {}, movements: {}, ...effects })
        }),
      nothingChanges: (order: OrderContent) =>
        it(`${name}, then nothing changes`, () => {
          const decided = run()
          if (Result.isFailure(decided)) return assert.fail(decided.failure.message)
          assert.deepStrictEqual(effectsOf(decided.success), { order, facts: [], stocks: {}, movements: {} })
        }),
      isRefused: (code: string, details: object) =>
        it(`${name}, then it is rejected: ${code}`, () => {
          const decided = run()
          if (Result.isSuccess(decided)) return assert.fail("it was not rejected")
          assert.strictEqual(decided.failure.code, code)
          assert.deepStrictEqual(decided.failure.details, details)
        })
    }
  }
})

describe("placing an order", () => {
  describe("without a pet makes a draft, which holds no stock", () => {
    given({})
      .when(placing({}))
      .gives({ order: draft(), facts: ["placed"] })
    given({})
      .when(placing({ id: 99 }))
      .gives({ order: draft(), facts: ["placed"] })
    given({})
      .when(placing({ quantity: 3 }))
      .gives({ order: draft({ quantity: 3 }), facts: ["placed"] })
    given({})
      .when(placing({ shipDate: later }))
      .gives({ order: draft({ shipDate: later }), facts: ["placed"] })
    given({})
      .when(placing({ complete: false }))
      .gives({ order: draft(), facts: ["placed"] })
    given({})
      .when(placing({ complete: true }))
      .isRefused("order_is_draft", {})
  })

  describe("with a pet reserves its units", () => {
    given({ [rex]: units(3) })
      .when(placing({ petId: rex }))
      .gives({
        order: open(rex, 1),
        facts: ["placed"],
        stocks: { [rex]: units(3, 1) },
        movements: { [rex]: [["reserved", 0, 1]] }
      })
    given({ [rex]: units(3, 1) })
      .when(placing({ petId: rex, quantity: 2, shipDate: later, complete: false }))
      .gives({
        order: open(rex, 2, { shipDate: later }),
        facts: ["placed"],
        stocks: { [rex]: units(3, 3) },
        movements: { [rex]: [["reserved", 0, 2]] }
      })
    given({ [rex]: units(3, 1) })
      .when(placing({ petId: rex, quantity: 3 }))
      .isRefused("insufficient_stock", { petId: rex, requested: 3, available: 2 })
    given({ [rex]: units(0) })
      .when(placing({ petId: rex }))
      .isRefused("pet_not_available", { petId: rex, status: "sold", quantity: 0 })
    given({ [rex]: onHold(3) })
      .when(placing({ petId: rex }))
      .isRefused("pet_not_available", { petId: rex, status: "pending", quantity: 3 })
    given({ [rex]: units(3) })
      .when(placing({ petId: nobody }))
      .isRefused("unknown_pet", { petId: nobody })
  })

  describe("as complete reserves and ships at once", () => {
    given({ [rex]: units(3) })
      .when(placing({ petId: rex, quantity: 2, complete: true }))
      .gives({
        order: complete(rex, 2),
        facts: ["placed", "completed"],
        stocks: { [rex]: units(1) },
        movements: {
          [rex]: [
            ["reserved", 0, 2],
            ["shipped", -2, -2]
          ]
        }
      })
    given({ [rex]: units(1) })
      .when(placing({ petId: rex, shipDate: later, complete: true }))
      .gives({
        order: complete(rex, 1, later),
        facts: ["placed", "completed"],
        stocks: { [rex]: units(0) },
        movements: {
          [rex]: [
            ["reserved", 0, 1],
            ["shipped", -1, -1]
          ]
        }
      })
    given({ [rex]: units(1) })
      .when(placing({ petId: rex, quantity: 2, complete: true }))
      .isRefused("insufficient_stock", { petId: rex, requested: 2, available: 1 })
    given({ [rex]: onHold(2) })
      .when(placing({ petId: rex, complete: true }))
      .isRefused("pet_not_available", { petId: rex, status: "pending", quantity: 2 })
  })
})

describe("changing a draft", () => {
  given({}).when(changing(draft(), {})).nothingChanges(draft())
  given({})
    .when(changing(draft(), { id: 99, complete: false }))
    .nothingChanges(draft())
  given({})
    .when(changing(draft({ quantity: 2 }), { quantity: 2 }))
    .nothingChanges(draft({ quantity: 2 }))
  given({})
    .when(changing(draft({ quantity: 2 }), { quantity: 3 }))
    .gives({ order: draft({ quantity: 3 }), facts: ["updated"] })
  given({})
    .when(changing(draft(), { shipDate: later }))
    .gives({ order: draft({ shipDate: later }), facts: ["updated"] })
  given({})
    .when(changing(draft({ shipDate: later }), { shipDate: null }))
    .gives({ order: draft(), facts: ["updated"] })
  given({})
    .when(changing(draft(), { shipDate: null }))
    .nothingChanges(draft())
  given({})
    .when(changing(draft(), { complete: true }))
    .isRefused("order_is_draft", {})
  given({})
    .when(changing(draft(), { quantity: 2, complete: true }))
    .isRefused("order_is_draft", {})

  describe("by giving it a pet opens it", () => {
    given({ [rex]: units(3) })
      .when(changing(draft(), { petId: rex }))
      .gives({
        order: open(rex, 1),
        facts: ["updated"],
        stocks: { [rex]: units(3, 1) },
        movements: { [rex]: [["reserved", 0, 1]] }
      })
    given({ [rex]: units(3) })
      .when(changing(draft({ quantity: 2, shipDate: later }), { petId: rex }))
      .gives({
        order: open(rex, 2, { shipDate: later }),
        facts: ["updated"],
        stocks: { [rex]: units(3, 2) },
        movements: { [rex]: [["reserved", 0, 2]] }
      })
    given({ [rex]: units(3) })
      .when(changing(draft({ quantity: 2 }), { petId: rex, quantity: 3, complete: true }))
      .gives({
        order: complete(rex, 3),
        facts: ["updated", "completed"],
        stocks: { [rex]: units(0) },
        movements: {
          [rex]: [
            ["reserved", 0, 3],
            ["shipped", -3, -3]
          ]
        }
      })
    given({ [rex]: units(1) })
      .when(changing(draft({ quantity: 2 }), { petId: rex }))
      .isRefused("insufficient_stock", { petId: rex, requested: 2, available: 1 })
    given({ [rex]: onHold(3) })
      .when(changing(draft(), { petId: rex, complete: true }))
      .isRefused("pet_not_available", { petId: rex, status: "pending", quantity: 3 })
    given({})
      .when(changing(draft(), { petId: nobody }))
      .isRefused("unknown_pet", { petId: nobody })
  })
})

describe("changing an open order", () => {
  const two = open(rex, 2)

  describe("to what it is already changes nothing", () => {
    given({ [rex]: units(3, 2) })
      .when(changing(two, {}))
      .nothingChanges(two)
    given({ [rex]: units(3, 2) })
      .when(changing(two, { id: 99, petId: rex, quantity: 2, complete: false }))
      .nothingChanges(two)
    given({ [rex]: onHold(3, 2) })
      .when(changing(two, { quantity: 2 }))
      .nothingChanges(two)
    given({ [rex]: units(3, 2) })
      .when(changing(two, { shipDate: null }))
      .nothingChanges(two)
  })

  describe("in its ship date moves no stock", () => {
    given({ [rex]: onHold(3, 2) })
      .when(changing(two, { shipDate: later }))
      .gives({ order: open(rex, 2, { shipDate: later }), facts: ["updated"] })
    given({ [rex]: units(3, 2) })
      .when(changing(open(rex, 2, { shipDate: later }), { shipDate: null }))
      .gives({ order: two, facts: ["updated"] })
  })

  describe("in its quantity moves the difference", () => {
    given({ [rex]: units(5, 2) })
      .when(changing(two, { quantity: 5 }))
      .gives({
        order: open(rex, 5),
        facts: ["updated"],
        stocks: { [rex]: units(5, 5) },
        movements: { [rex]: [["reserved", 0, 3]] }
      })
    given({ [rex]: units(3, 3) })
      .when(changing(two, { quantity: 1 }))
      .gives({
        order: open(rex, 1),
        facts: ["updated"],
        stocks: { [rex]: units(3, 2) },
        movements: { [rex]: [["unreserved", 0, -1]] }
      })
    given({ [rex]: onHold(3, 3) })
      .when(changing(two, { quantity: 1 }))
      .gives({
        order: open(rex, 1),
        facts: ["updated"],
        stocks: { [rex]: onHold(3, 2) },
        movements: { [rex]: [["unreserved", 0, -1]] }
      })
    given({ [rex]: onHold(3, 2) })
      .when(changing(two, { quantity: 3 }))
      .isRefused("pet_not_available", { petId: rex, status: "pending", quantity: 3 })
    given({ [rex]: units(5, 4) })
      .when(changing(two, { quantity: 4 }))
      .isRefused("insufficient_stock", { petId: rex, requested: 2, available: 1 })
  })

  describe("to anything else leaves when it expires, unlike a draft that opens", () => {
    const expiring = (order: OrderContent, update: OrderUpdate): Command => ({
      what: `the order ${said(order)} is changed to ${said(update)} where orders expire`,
      run: (stockOf) => amend(orderId, order, update, stockOf, now, later)
    })
    for (const expiresAt of [{ expiresAt: now }, {}]) {
      given({ [rex]: units(3, 2) })
        .when(expiring(open(rex, 2, expiresAt), { shipDate: later }))
        .gives({ order: open(rex, 2, { ...expiresAt, shipDate: later }), facts: ["updated"] })
    }
  })

  describe("to another pet moves the reservation", () => {
    given({ [rex]: units(3, 2), [tom]: units(4, 1) })
      .when(changing(two, { petId: tom, quantity: 3 }))
      .gives({
        order: open(tom, 3),
        facts: ["updated"],
        stocks: { [rex]: units(3), [tom]: units(4, 4) },
        movements: { [rex]: [["unreserved", 0, -2]], [tom]: [["reserved", 0, 3]] }
      })
    given({ [rex]: onHold(3, 2), [tom]: units(2) })
      .when(changing(two, { petId: tom, complete: true }))
      .gives({
        order: complete(tom, 2),
        facts: ["updated", "completed"],
        stocks: { [rex]: onHold(3), [tom]: units(0) },
        movements: {
          [rex]: [["unreserved", 0, -2]],
          [tom]: [
            ["reserved", 0, 2],
            ["shipped", -2, -2]
          ]
        }
      })
    given({ [rex]: units(3, 2), [tom]: units(1) })
      .when(changing(two, { petId: tom }))
      .isRefused("insufficient_stock", { petId: tom, requested: 2, available: 1 })
    given({ [rex]: units(3, 2), [tom]: onHold(4) })
      .when(changing(two, { petId: tom, quantity: 1 }))
      .isRefused("pet_not_available", { petId: tom, status: "pending", quantity: 4 })
    given({ [rex]: units(3, 2) })
      .when(changing(two, { petId: nobody }))
      .isRefused("unknown_pet", { petId: nobody })
  })

  describe("to complete ships it", () => {
    given({ [rex]: units(3, 2) })
      .when(changing(two, { complete: true }))
      .gives({
        order: complete(rex, 2),
        facts: ["completed"],
        stocks: { [rex]: units(1) },
        movements: { [rex]: [["shipped", -2, -2]] }
      })
    given({ [rex]: onHold(2, 2) })
      .when(changing(open(rex, 2, { shipDate: later }), { complete: true }))
      .gives({
        order: complete(rex, 2, later),
        facts: ["completed"],
        stocks: { [rex]: units(0) },
        movements: { [rex]: [["shipped", -2, -2]] }
      })
    given({ [rex]: units(3, 2) })
      .when(changing(open(rex, 2, { shipDate: later }), { shipDate: null, complete: true }))
      .gives({
        order: complete(rex, 2, now),
        facts: ["updated", "completed"],
        stocks: { [rex]: units(1) },
        movements: { [rex]: [["shipped", -2, -2]] }
      })
    given({ [rex]: units(3, 2) })
      .when(changing(two, { quantity: 3, complete: true }))
      .gives({
        order: complete(rex, 3),
        facts: ["updated", "completed"],
        stocks: { [rex]: units(0) },
        movements: {
          [rex]: [
            ["reserved", 0, 1],
            ["shipped", -3, -3]
          ]
        }
      })
    given({ [rex]: units(2, 2) })
      .when(changing(two, { quantity: 3, complete: true }))
      .isRefused("insufficient_stock", { petId: rex, requested: 1, available: 0 })
  })
})

describe("changing a complete order", () => {
  const shipped = complete(rex, 2)
  const same: ReadonlyArray<OrderUpdate> = [
    {},
    { id: 99 },
    { complete: true },
    { petId: rex, quantity: 2, shipDate: now, complete: true }
  ]
  for (const update of same)
    given({ [rex]: units(3) })
      .when(changing(shipped, update))
      .nothingChanges(shipped)

  const others: ReadonlyArray<OrderUpdate> = [
    { petId: tom },
    { quantity: 1 },
    { shipDate: later },
    { shipDate: null },
    { complete: false }
  ]
  for (const update of others) {
    given({ [rex]: units(3), [tom]: units(3) })
      .when(changing(shipped, update))
      .isRefused("order_already_complete", { orderId })
  }
  // The pet may be gone by then.
  given({})
    .when(changing(shipped, { complete: true }))
    .nothingChanges(shipped)
})

describe("cancelling an order", () => {
  given({})
    .when(cancelling(draft({ quantity: 2 })))
    .gives({
      order: { state: "cancelled", quantity: 2 },
      facts: ["cancelled"]
    })
  given({ [rex]: units(3, 2) })
    .when(cancelling(open(rex, 2)))
    .gives({
      order: { state: "cancelled", petId: rex, quantity: 2 },
      facts: ["cancelled"],
      stocks: { [rex]: units(3) },
      movements: { [rex]: [["cancelled", 0, -2]] }
    })
  given({ [rex]: onHold(3, 3) })
    .when(cancelling(open(rex, 2)))
    .gives({
      order: { state: "cancelled", petId: rex, quantity: 2 },
      facts: ["cancelled"],
      stocks: { [rex]: onHold(3, 1) },
      movements: { [rex]: [["cancelled", 0, -2]] }
    })
  given({ [rex]: units(3) })
    .when(cancelling(complete(rex, 2)))
    .isRefused("order_already_complete", { orderId })

  describe("that is cancelled already gives nothing back twice", () => {
    const cancelled: OrderContent = { state: "cancelled", petId: rex, quantity: 2 }
    given({ [rex]: units(3, 2) })
      .when(cancelling(cancelled))
      .nothingChanges(cancelled)
    given({ [rex]: units(3, 2) })
      .when(changing(cancelled, { quantity: 1 }))
      .isRefused("order_already_complete", { orderId })
  })
})

describe("expiring an order", () => {
  const overdue = open(rex, 2, { expiresAt: now })
  const expired: OrderContent = { ...overdue, state: "expired" }
  given({ [rex]: units(3, 2) })
    .when(expiring(overdue))
    .gives({
      order: expired,
      facts: ["expired"],
      stocks: { [rex]: units(3) },
      movements: { [rex]: [["expired", 0, -2]] }
    })
  for (const order of [open(rex, 2, { expiresAt: later }), open(rex, 2), complete(rex, 2), expired])
    given({ [rex]: units(3, 2) })
      .when(expiring(order))
      .nothingChanges(order)
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
