import { assert, describe, it } from "@effect/vitest"
import { type Arbitrary, Constant, map } from "effect/Arbitrary"
import * as Result from "effect/Result"
import { stock as anyStock, orderQuantity, petStatus, stockQuantity } from "../../../testing/src/arbitraries.ts"
import { int, oneOf } from "../../../testing/src/combine.ts"
import type { PetstoreError } from "../errors/PetstoreError.ts"
import type { MovementKind } from "./Movement.ts"
import {
  adjust,
  andThen,
  available,
  cancel,
  initial,
  type PetStatus,
  remove,
  requestStatus,
  reserve,
  type Stock,
  type StockChange,
  setQuantity,
  ship,
  statusOf,
  unreserve
} from "./Stock.ts"

const petId = 7

interface Command {
  readonly what: string
  readonly run: (stock: Stock) => Result.Result<StockChange, PetstoreError>
}

const asking = (status: PetStatus): Command => ({
  what: `${status} is asked for`,
  run: (stock) => requestStatus(petId, stock, status)
})
const counting = (quantity: number): Command => ({
  what: `its stock is set to ${quantity}`,
  run: (stock) => setQuantity(petId, stock, quantity)
})
const adjusting = (delta: number): Command => ({
  what: `${delta} units are received`,
  run: (stock) => adjust(petId, stock, { delta, reason: "received" })
})
const ordering = (quantity: number): Command => ({
  what: `an order asks for ${quantity}`,
  run: (stock) => reserve(petId, stock, quantity)
})
const lowering = (quantity: number): Command => ({
  what: `an order gives ${quantity} back and goes on`,
  run: (stock) => Result.succeed(unreserve(stock, quantity))
})
const cancelling = (quantity: number): Command => ({
  what: `an order of ${quantity} is cancelled`,
  run: (stock) => Result.succeed(cancel(stock, quantity))
})
const shipping = (quantity: number): Command => ({
  what: `an order of ${quantity} is shipped`,
  run: (stock) => Result.succeed(ship(stock, quantity))
})
const deleting: Command = { what: "the pet is deleted", run: (stock) => remove(petId, stock) }

type Units = readonly [onHand: number, reserved?: number, hold?: "on hold"]
type MovementRow = readonly [kind: MovementKind, deltaOnHand: number, deltaReserved: number]

const toStock = ([onHand, reserved = 0, hold]: Units): Stock => ({ onHand, reserved, held: hold !== undefined })
const words = ([onHand, reserved = 0, hold]: Units): string =>
  [`${onHand} on hand`, ...(reserved > 0 ? [`${reserved} reserved`] : []), ...(hold ? [hold] : [])].join(", ")

const given = (...units: Units) => ({
  when: (command: Command) => {
    const stock = Object.freeze(toStock(units))
    const name = `given ${words(units)}: when ${command.what}`
    return {
      leaves: (after: Units, ...movements: ReadonlyArray<MovementRow>) =>
        it(`${name}, then ${words(after)}`, () => {
          assert.deepStrictEqual(
            command.run(stock),
            Result.succeed({
              stock: toStock(after),
              movements: movements.map(([kind, deltaOnHand, deltaReserved]) => ({ kind, deltaOnHand, deltaReserved }))
            })
          )
        }),
      nothingChanges: () =>
        it(`${name}, then nothing changes`, () => {
          assert.deepStrictEqual(command.run(stock), Result.succeed({ stock, movements: [] }))
        }),
      isRefused: (code: string, details: object) =>
        it(`${name}, then it is rejected: ${code}`, () => {
          const refusal = Result.flip(command.run(stock))
          if (Result.isFailure(refusal)) return assert.fail("it was not rejected")
          assert.strictEqual(refusal.success.code, code)
          assert.deepStrictEqual(refusal.success.details, details)
        })
    }
  }
})

describe("the status of a pet", () => {
  const rows: ReadonlyArray<readonly [Units, PetStatus, free: number]> = [
    [[0], "sold", 0],
    [[1], "available", 1],
    [[3, 1], "available", 2],
    [[3, 3], "pending", 0],
    [[3, 0, "on hold"], "pending", 0],
    [[3, 1, "on hold"], "pending", 0],
    [[3, 3, "on hold"], "pending", 0]
  ]
  for (const [units, status, free] of rows) {
    it(`given ${words(units)}, then it is ${status} with ${free} to order`, () => {
      assert.strictEqual(statusOf(toStock(units)), status)
      assert.strictEqual(available(toStock(units)), free)
    })
  }
})

describe("a new pet", () => {
  const rows: ReadonlyArray<readonly [PetStatus | undefined, Units, ReadonlyArray<MovementRow>]> = [
    [undefined, [1], [["initial", 1, 0]]],
    ["available", [1], [["initial", 1, 0]]],
    [
      "pending",
      [1, 0, "on hold"],
      [
        ["initial", 1, 0],
        ["held", 0, 0]
      ]
    ],
    ["sold", [0], [["initial", 0, 0]]]
  ]
  for (const [status, units, movements] of rows) {
    it(`given ${status ?? "no status"}, then it starts with ${words(units)}`, () => {
      assert.deepStrictEqual(initial(status), {
        stock: toStock(units),
        movements: movements.map(([kind, deltaOnHand, deltaReserved]) => ({ kind, deltaOnHand, deltaReserved }))
      })
    })
  }
})

describe("asking for a status", () => {
  describe("of an available pet", () => {
    given(2).when(asking("available")).nothingChanges()
    given(3, 1).when(asking("available")).nothingChanges()
    given(2).when(asking("pending")).leaves([2, 0, "on hold"], ["held", 0, 0])
    given(3, 1).when(asking("pending")).leaves([3, 1, "on hold"], ["held", 0, 0])
    given(2).when(asking("sold")).leaves([0], ["written_off", -2, 0])
    given(3, 1).when(asking("sold")).isRefused("pet_has_open_orders", { petId, reserved: 1 })
  })
  describe("of a pet on hold", () => {
    given(2, 0, "on hold").when(asking("available")).leaves([2], ["unheld", 0, 0])
    given(3, 1, "on hold").when(asking("available")).leaves([3, 1], ["unheld", 0, 0])
    given(2, 2, "on hold").when(asking("available")).leaves([2, 2], ["unheld", 0, 0])
    given(2, 0, "on hold").when(asking("pending")).nothingChanges()
    given(2, 2, "on hold").when(asking("pending")).nothingChanges()
    given(2, 0, "on hold").when(asking("sold")).leaves([0], ["written_off", -2, 0])
    given(2, 1, "on hold").when(asking("sold")).isRefused("pet_has_open_orders", { petId, reserved: 1 })
  })
  describe("of a pet whose units are all reserved", () => {
    given(2, 2).when(asking("available")).isRefused("pet_reserved", { petId, reserved: 2 })
    given(2, 2).when(asking("pending")).leaves([2, 2, "on hold"], ["held", 0, 0])
    given(2, 2).when(asking("sold")).isRefused("pet_has_open_orders", { petId, reserved: 2 })
  })
  describe("of a sold pet", () => {
    given(0).when(asking("available")).isRefused("invalid_status_transition", { petId, from: "sold", to: "available" })
    given(0).when(asking("pending")).isRefused("invalid_status_transition", { petId, from: "sold", to: "pending" })
    given(0).when(asking("sold")).nothingChanges()
  })
})

describe("setting the stock", () => {
  given(0).when(counting(0)).nothingChanges()
  given(0).when(counting(3)).leaves([3], ["set", 3, 0])
  given(1).when(counting(2_147_483_647)).leaves([2_147_483_647], ["set", 2_147_483_646, 0])
  given(3, 2).when(counting(2)).leaves([2, 2], ["set", -1, 0])
  given(3, 2).when(counting(3)).nothingChanges()
  given(3, 2).when(counting(1)).isRefused("quantity_below_reserved", { petId, quantity: 1, reserved: 2 })
  given(3, 1).when(counting(0)).isRefused("quantity_below_reserved", { petId, quantity: 0, reserved: 1 })
  given(3, 0, "on hold").when(counting(5)).leaves([5, 0, "on hold"], ["set", 2, 0])
  given(3, 0, "on hold").when(counting(0)).leaves([0], ["set", -3, 0])
})

describe("adjusting the stock", () => {
  const largest = 2_147_483_647
  given(3, 2).when(adjusting(0)).nothingChanges()
  given(0).when(adjusting(3)).leaves([3], ["received", 3, 0])
  given(3, 2).when(adjusting(-1)).leaves([2, 2], ["received", -1, 0])
  given(3, 2).when(adjusting(-2)).isRefused("quantity_below_reserved", { petId, quantity: 1, reserved: 2 })
  given(3).when(adjusting(-4)).isRefused("quantity_below_reserved", { petId, quantity: -1, reserved: 0 })
  given(3, 0, "on hold").when(adjusting(2)).leaves([5, 0, "on hold"], ["received", 2, 0])
  given(3, 0, "on hold").when(adjusting(-3)).leaves([0], ["received", -3, 0])
  given(1)
    .when(adjusting(largest - 1))
    .leaves([largest], ["received", largest - 1, 0])
  given(1)
    .when(adjusting(largest))
    .isRefused("stock_limit_exceeded", { petId, quantity: largest + 1, limit: largest })

  it("given a note, then its movement has it", () => {
    const change = adjust(petId, toStock([3]), { delta: -1, reason: "damaged", note: "Chewed" })
    assert.deepStrictEqual(Result.getOrThrow(change).movements, [
      { kind: "damaged", deltaOnHand: -1, deltaReserved: 0, note: "Chewed" }
    ])
  })
})

describe("reserving for an order", () => {
  given(3).when(ordering(1)).leaves([3, 1], ["reserved", 0, 1])
  given(3).when(ordering(3)).leaves([3, 3], ["reserved", 0, 3])
  given(3, 1).when(ordering(2)).leaves([3, 3], ["reserved", 0, 2])
  given(3, 1).when(ordering(3)).isRefused("insufficient_stock", { petId, requested: 3, available: 2 })
  given(3, 3).when(ordering(1)).isRefused("insufficient_stock", { petId, requested: 1, available: 0 })
  given(0).when(ordering(1)).isRefused("pet_not_available", { petId, status: "sold", quantity: 0 })
  given(3, 0, "on hold").when(ordering(1)).isRefused("pet_not_available", { petId, status: "pending", quantity: 3 })
  given(3, 0, "on hold").when(ordering(9)).isRefused("pet_not_available", { petId, status: "pending", quantity: 3 })
})

describe("the end of a reservation", () => {
  given(3, 2).when(lowering(1)).leaves([3, 1], ["unreserved", 0, -1])
  given(3, 2, "on hold").when(lowering(2)).leaves([3, 0, "on hold"], ["unreserved", 0, -2])
  given(3, 2).when(cancelling(2)).leaves([3], ["cancelled", 0, -2])
  given(3, 3, "on hold").when(cancelling(3)).leaves([3, 0, "on hold"], ["cancelled", 0, -3])
  given(3, 2).when(shipping(2)).leaves([1], ["shipped", -2, -2])
  given(3, 3).when(shipping(2)).leaves([1, 1], ["shipped", -2, -2])
  given(2, 2).when(shipping(2)).leaves([0], ["shipped", -2, -2])
  given(3, 2, "on hold").when(shipping(2)).leaves([1, 0, "on hold"], ["shipped", -2, -2])
  given(2, 2, "on hold").when(shipping(2)).leaves([0], ["shipped", -2, -2])
})

describe("deleting a pet", () => {
  given(3).when(deleting).leaves([0], ["removed", -3, 0])
  given(3, 0, "on hold").when(deleting).leaves([0], ["removed", -3, 0])
  given(0).when(deleting).leaves([0], ["removed", 0, 0])
  given(3, 1).when(deleting).isRefused("pet_has_open_orders", { petId, reserved: 1 })
})

describe("one change after another", () => {
  it("given both succeed, then the movements follow each other", () => {
    const both = andThen(reserve(petId, toStock([2]), 2), (stock) => Result.succeed(ship(stock, 2)))
    assert.deepStrictEqual(
      both,
      Result.succeed({
        stock: toStock([0]),
        movements: [
          { kind: "reserved" as const, deltaOnHand: 0, deltaReserved: 2 },
          { kind: "shipped" as const, deltaOnHand: -2, deltaReserved: -2 }
        ]
      })
    )
  })

  it("given the first is rejected, then the second is not tried", () => {
    const both = andThen(reserve(petId, toStock([0]), 1), () => assert.fail("the second was tried"))
    assert.isTrue(Result.isFailure(both))
  })
})

/** A command about some of the reserved units, if there are any. */
const about = (command: (quantity: number) => Command): Arbitrary<(stock: Stock) => Command> =>
  map(int(1, 100), (share) => ({ reserved }) => {
    const quantity = Math.ceil((reserved * share) / 100)
    return quantity === 0 ? counting(0) : command(quantity)
  })

/** What the use cases may do to a stock: nobody gives back or ships what was not reserved. */
const anyCommand = oneOf<(stock: Stock) => Command>(
  Constant(() => deleting),
  map(petStatus, (status) => () => asking(status)),
  map(stockQuantity, (quantity) => () => counting(quantity)),
  map(orderQuantity, (quantity) => () => ordering(quantity)),
  about(ordering),
  about(lowering),
  about(cancelling),
  about(shipping)
)

const isValid = ({ held, onHand, reserved }: Stock): boolean =>
  Number.isSafeInteger(onHand) && 0 <= reserved && reserved <= onHand && (!held || onHand > 0)

describe("given any stock and any command", () => {
  const generated = { stock: anyStock, commandFor: anyCommand }
  const arbitrary = { runs: 200 }

  it.prop(
    "then what comes out is a valid stock",
    generated,
    ({ commandFor, stock }) => {
      const changed = commandFor(stock).run(stock)
      return Result.isFailure(changed) || isValid(changed.success.stock)
    },
    { arbitrary }
  )

  it.prop(
    "then the movements sum to the difference, and no part of them oversells",
    generated,
    ({ commandFor, stock }) => {
      const changed = commandFor(stock).run(stock)
      if (Result.isFailure(changed)) return
      let { onHand, reserved } = stock
      for (const { deltaOnHand, deltaReserved } of changed.success.movements) {
        onHand += deltaOnHand
        reserved += deltaReserved
        assert.isTrue(0 <= reserved && reserved <= onHand, `${reserved} of ${onHand}`)
      }
      assert.deepStrictEqual(
        { onHand, reserved },
        {
          onHand: changed.success.stock.onHand,
          reserved: changed.success.stock.reserved
        }
      )
    },
    { arbitrary }
  )

  it.prop(
    "then there is a movement exactly where something changed",
    generated,
    ({ commandFor, stock }) => {
      const command = commandFor(stock)
      if (command === deleting) return
      const changed = command.run(stock)
      if (Result.isFailure(changed)) return
      const { movements, stock: after } = changed.success
      const same = after.onHand === stock.onHand && after.reserved === stock.reserved && after.held === stock.held
      assert.strictEqual(movements.length === 0, same)
    },
    { arbitrary }
  )

  it.prop(
    "then the same command on the same stock returns the same, and leaves the stock it was given alone",
    generated,
    ({ commandFor, stock }) => {
      const before = Object.freeze({ ...stock })
      const command = commandFor(before)
      assert.deepStrictEqual(Result.mapError(command.run(before), String), Result.mapError(command.run(before), String))
      assert.deepStrictEqual(before, stock)
    },
    { arbitrary }
  )

  it.prop(
    "then a reservation takes exactly what was asked for, or is rejected with the numbers of this moment",
    { stock: anyStock, quantity: orderQuantity },
    ({ quantity, stock }) => {
      const changed = ordering(quantity).run(stock)
      if (Result.isSuccess(changed)) {
        assert.strictEqual(changed.success.stock.reserved, stock.reserved + quantity)
        assert.isAtMost(quantity, available(stock))
      } else {
        assert.isAbove(quantity, available(stock))
        assert.oneOf(changed.failure.code, ["insufficient_stock", "pet_not_available"])
      }
    },
    { arbitrary }
  )

  it.prop("then its status follows from its numbers alone", { stock: anyStock }, ({ stock }) => {
    const { held, onHand, reserved } = stock
    const expected = onHand === 0 ? "sold" : held || reserved === onHand ? "pending" : "available"
    assert.strictEqual(statusOf(stock), expected)
    assert.strictEqual(available(stock) > 0, expected === "available")
  })
})
