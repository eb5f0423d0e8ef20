import { assert, describe, it } from "@effect/vitest"
import { anOrderRecord, aPetRecord, aStock } from "@petstore/testing"
import type { Movement, MovementKind } from "../../domain/inventory/Movement.ts"
import type { Stock } from "../../domain/inventory/Stock.ts"
import { limits } from "../../domain/limits.ts"
import type { PetRecord } from "../../tables/petTable.ts"
import { emptyLedger, inBounds, type Ledger, ledgerAfter, type StockTrace, stockAfter, traced } from "./Ledger.ts"
import { Report } from "./Report.ts"
import { rules } from "./rules.ts"

/** A movement of pet 1: its kind, and the units that it adds on hand and reserves. */
type Entry = readonly [kind: MovementKind, onHand: number, reserved: number]

const pet = aPetRecord({ stock: aStock({ onHand: 0 }) })
const order = anOrderRecord()

const ofOrders: ReadonlyArray<MovementKind> = ["reserved", "unreserved", "shipped", "cancelled", "expired"]

const toMovement = ([kind, deltaOnHand, deltaReserved]: Entry, seq: number): Movement => ({
  petId: 1,
  seq,
  kind,
  deltaOnHand,
  deltaReserved,
  ...(ofOrders.includes(kind) ? { orderId: 1 } : {}),
  actor: "owner",
  at: "2026-05-04T09:30:00.000Z"
})

const read = (movements: ReadonlyArray<Movement>) => {
  const report = new Report(rules)
  const [checkMovement, checkOrder, checkPet] = [report.on("movement"), report.on("movementOfOrder"), report.on("pet")]
  let ledger: Ledger = emptyLedger
  for (const movement of movements) {
    const after = stockAfter(ledger.stock, movement)
    checkMovement({ movement, before: ledger, after, pet: movement.petId === pet.id ? pet : undefined })
    if (movement.orderId !== undefined) {
      checkOrder({ movement, order: movement.orderId === order.id ? order : undefined })
    }
    ledger = ledgerAfter(ledger, movement, after)
  }
  return {
    comparePet: (record: PetRecord, trace?: StockTrace) =>
      checkPet({ record, ledger, openUnits: record.stock.reserved, trace }),
    examples: (rule: string) => report.results.find(({ name }) => name === rule)?.examples ?? assert.fail(rule)
  }
}

const ledger = (...entries: ReadonlyArray<Entry>) => read(entries.map((entry, index) => toMovement(entry, index + 1)))

const empty: Entry = ["initial", 0, 0]
const three: Entry = ["initial", 3, 0]
const promised: Entry = ["reserved", 0, 2]
const held: Entry = ["held", 0, 0]

const fitting: ReadonlyArray<ReadonlyArray<Entry>> = [
  [empty],
  [three, ["set", -1, 0]],
  [three, held],
  [three, held, ["unheld", 0, 0]],
  [three, promised],
  [three, promised, ["unreserved", 0, -1]],
  [three, promised, ["shipped", -1, -1]],
  [three, promised, ["cancelled", 0, -2]],
  [three, promised, ["expired", 0, -2]],
  [three, ["written_off", -3, 0]],
  [three, ["received", 2, 0]],
  [three, ["received", -2, 0]],
  [three, held, ["damaged", -1, 0]],
  [empty, ["returned", 1, 0]],
  [three, promised, ["correction", -1, 0]],
  [three, ["removed", -3, 0]],
  [empty, ["removed", 0, 0]]
]

const unfitting: ReadonlyArray<ReadonlyArray<Entry>> = [
  [["set", 3, 0]],
  [["initial", -1, 0]],
  [["initial", 1, 1]],
  [three, three],
  [three, ["set", 0, 0]],
  [three, ["set", 1, 1]],
  [three, ["held", 1, 0]],
  [three, ["held", 0, 1]],
  [three, held, held],
  [empty, held],
  [three, ["unheld", 0, 0]],
  [three, held, ["unheld", 1, 0]],
  [three, held, ["unheld", 0, 1]],
  [three, ["reserved", 0, 0]],
  [three, ["reserved", 1, 1]],
  [three, held, promised],
  [three, promised, ["unreserved", 0, 0]],
  [three, promised, ["unreserved", -1, -1]],
  [three, promised, ["shipped", 0, 0]],
  [three, promised, ["shipped", -1, 0]],
  [three, promised, ["shipped", 0, -1]],
  [three, promised, ["cancelled", 0, 0]],
  [three, promised, ["cancelled", -1, -1]],
  [three, promised, ["expired", 0, 0]],
  [three, promised, ["expired", -1, -1]],
  [three, ["written_off", -2, 0]],
  [three, ["written_off", -3, -1]],
  [empty, ["written_off", 0, 0]],
  [["received", 3, 0]],
  [three, ["received", 0, 0]],
  [three, ["damaged", -1, -1]],
  [three, ["removed", -2, 0]],
  [three, ["removed", -3, -1]],
  [three, ["removed", -3, 0], ["set", 1, 0]]
]

const shown = (entries: ReadonlyArray<Entry>): string => entries.map((entry) => entry.join(" ")).join(", ")

describe("movements_fit", () => {
  for (const entries of fitting) {
    it(`takes ${shown(entries)}`, () => assert.isEmpty(ledger(...entries).examples("movements_fit")))
  }

  for (const entries of unfitting) {
    it(`reports the last of ${shown(entries)}`, () => {
      const examples = ledger(...entries).examples("movements_fit")
      assert.deepStrictEqual(
        examples.map(({ seq }) => seq),
        [entries.length]
      )
    })
  }
})

const stocks: ReadonlyArray<readonly [entries: ReadonlyArray<Entry>, stock: Stock]> = [
  [[three, promised], { onHand: 3, reserved: 2, held: false }],
  [[three, held], { onHand: 3, reserved: 0, held: true }],
  [[three, held, ["set", 1, 0]], { onHand: 4, reserved: 0, held: true }],
  [[three, held, ["unheld", 0, 0]], { onHand: 3, reserved: 0, held: false }],
  [[three, held, ["set", -3, 0]], { onHand: 0, reserved: 0, held: false }]
]

describe("ledger_adds_up", () => {
  for (const [entries, stock] of stocks) {
    it(`expects ${JSON.stringify(stock)} after ${shown(entries)}`, () => {
      const { comparePet, examples } = ledger(...entries)
      comparePet({ ...pet, stock, lastMovement: entries.length })
      assert.isEmpty(examples("ledger_adds_up"))
      comparePet({ ...pet, stock: { ...stock, held: !stock.held }, lastMovement: entries.length })
      assert.deepStrictEqual(examples("ledger_adds_up"), [
        { petId: 1, held: { found: !stock.held, expected: stock.held } }
      ])
    })
  }
})

describe("ledger_numbered", () => {
  it("reports a pet without any movement", () => {
    const { comparePet, examples } = ledger()
    for (const lastMovement of [0, 1]) comparePet({ ...pet, lastMovement })
    assert.deepStrictEqual(examples("ledger_numbered"), [
      { petId: 1, lastMovement: 0, problem: "it has no movement" },
      { petId: 1, lastMovement: 1, problem: "it has no movement" }
    ])
  })
})

describe("movements_known", () => {
  const reservation = toMovement(promised, 2)
  const { orderId: _, ...ofNoOrder } = reservation
  const unknown: Readonly<Record<string, Movement>> = {
    "of no order, though of a kind of orders": ofNoOrder,
    "of an order that does not exist": { ...reservation, orderId: 2 },
    "of a pet that does not exist": { ...reservation, petId: 2 },
    "of an order, though not of a kind of orders": { ...toMovement(held, 2), orderId: 1 },
    "of an order, though an adjustment": { ...toMovement(["received", 1, 0], 2), orderId: 1 },
    "with a note, though no adjustment": { ...toMovement(held, 2), note: "Chewed" }
  }
  for (const [which, movement] of Object.entries(unknown)) {
    it(`reports a movement ${which}`, () => {
      const { examples } = read([toMovement(three, 1), movement])
      assert.deepStrictEqual(examples("movements_known"), [movement])
    })
  }
})

describe("the bounds of stock", () => {
  it("are 0 and the greatest stock, and what is reserved is within what is on hand", () => {
    const inside = [
      [0, 0],
      [1, 1],
      [limits.stock, 0]
    ]
    const outside = [
      [0, 1],
      [1, -1],
      [-1, -1],
      [limits.stock + 1, 0]
    ]
    for (const [onHand = 0, reserved = 0] of inside) assert.isTrue(inBounds({ onHand, reserved }))
    for (const [onHand = 0, reserved = 0] of outside) assert.isFalse(inBounds({ onHand, reserved }))
  })
})

describe("movements_have_events", () => {
  const times = ["2026-05-04T09:30:00.000Z", "2026-05-04T09:30:00.001Z", "2026-05-04T09:30:00.002Z"]
  const first: Stock = { onHand: 3, reserved: 0, held: false }
  const second: Stock = { onHand: 3, reserved: 2, held: false }
  const third: Stock = { onHand: 1, reserved: 0, held: false }
  const movements = [three, promised, ["shipped", -2, -2] as const].map((entry, index) => ({
    ...toMovement(entry, index + 1),
    at: times[index] ?? ""
  }))
  type Moment = readonly [at: string | undefined, stock: Stock]
  const shownByEvents: ReadonlyArray<Moment> = [
    [times[0], first],
    [times[1], second],
    [times[2], third]
  ]

  const examples = (moments: ReadonlyArray<Moment>) => {
    const { comparePet, examples } = read(movements)
    let trace: StockTrace | undefined
    for (const [at = "", stock] of moments) trace = traced(trace, at, stock)
    comparePet({ ...pet, stock: third, lastMovement: 3 }, trace)
    return examples("movements_have_events")
  }

  it("reports an event that has another reason than the movement, or none", () => {
    const at = "2026-05-04T09:30:00.000Z"
    const { comparePet, examples } = read([toMovement(three, 1), toMovement(["damaged", -1, 0], 2)])
    const stock: Stock = { onHand: 2, reserved: 0, held: false }
    const record = { ...pet, stock, lastMovement: 2 }
    comparePet(record, traced(undefined, at, stock, "damaged"))
    assert.isEmpty(examples("movements_have_events"))
    comparePet(record, traced(undefined, at, stock, "received"))
    comparePet(record, traced(undefined, at, stock))
    const lastMovement = { at, ...stock, reason: "damaged" }
    assert.deepStrictEqual(examples("movements_have_events"), [
      { petId: 1, lastMovement, lastEvent: { at, ...stock, reason: "received" } },
      { petId: 1, lastMovement, lastEvent: { at, ...stock } }
    ])
  })

  it("takes events of each movement, or of the last one of a moment", () => {
    assert.deepStrictEqual(examples(shownByEvents), [])
    assert.deepStrictEqual(examples([[times[0], { ...first, onHand: 1 }], ...shownByEvents]), [])
  })

  it("reports an event that is missing, one too many, another time or stock, and another order", () => {
    const [one, two, three] = shownByEvents
    if (one === undefined || two === undefined || three === undefined) throw new Error("There are three moments")
    const wrong: ReadonlyArray<ReadonlyArray<Moment>> = [
      [],
      [one, three],
      [two, three],
      [one, two],
      [...shownByEvents, ["2026-05-04T09:30:00.003Z", third]],
      [one, [times[2], second], three],
      [one, [times[1], { ...second, reserved: 1 }], three],
      [one, [times[1], { ...second, held: true }], three],
      [[times[0], { ...first, onHand: 2 }], two, three],
      [two, one, three]
    ]
    for (const moments of wrong) assert.strictEqual(examples(moments).length, 1, JSON.stringify(moments))
  })
})
