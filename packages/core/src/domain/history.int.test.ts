import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { history } from "../../testing/src/commands.ts"
import { type Command, Model, type Outcome } from "../../testing/src/model.ts"
import type { PetstoreError } from "./errors/PetstoreError.ts"
import { MovementKind } from "./Movement.ts"
import { amend, cancel, fieldProblem, type OrderContent, type OrderDecision, place } from "./Order.ts"
import type { OrderFact } from "./OrderState.ts"
import { type OrderState, orderStates } from "./OrderState.ts"
import * as Stock from "./Stock.ts"
import { nameKey } from "./Text.ts"

const now = "2026-05-04T09:30:00.000Z"

interface Entry extends Stock.StockMovement {
  readonly petId: number
  readonly orderId: number | undefined
}

interface KeptPet {
  readonly categoryId: number
  readonly stock: Stock.Stock
}

const ok: Outcome = { code: "ok" }

/** What the use cases do, in memory and one after another: load, let a rule decide, keep the result. */
class Shop {
  readonly categories = new Map<number, string>()
  readonly pets = new Map<number, KeptPet>()
  /** Cancelled orders included. */
  readonly orders = new Map<number, OrderContent>()
  readonly ledger: Array<Entry> = []
  readonly transitions: Array<{ readonly from: OrderState | undefined; readonly to: OrderState }> = []
  readonly facts = new Map<number, ReadonlyArray<OrderFact>>()
  #categoryIds = 0
  #petIds = 0

  run(command: Command): Outcome {
    switch (command.type) {
      case "createCategory": {
        const key = nameKey(command.name)
        if ([...this.categories.values()].includes(key)) return { code: "category_name_taken" }
        this.categories.set(++this.#categoryIds, key)
        return { code: "ok", id: this.#categoryIds }
      }
      case "deleteCategory": {
        const used = [...this.pets.values()].some(({ categoryId }) => categoryId === command.categoryId)
        if (used) return { code: "category_in_use" }
        return this.categories.delete(command.categoryId) ? ok : { code: "not_found" }
      }
      case "createPet": {
        const { categoryId, status } = command
        if (!this.categories.has(categoryId)) return { code: "unknown_category" }
        this.#keepStock(++this.#petIds, categoryId, Stock.initial(status))
        return { code: "ok", id: this.#petIds }
      }
      case "updatePet":
        return this.#ofPet(command.petId, (stock, { categoryId }) => {
          if (!this.categories.has(command.categoryId ?? categoryId)) return { code: "unknown_category" }
          return this.#settle(
            command.status === undefined
              ? Result.succeed({ stock, movements: [] })
              : Stock.requestStatus(command.petId, stock, command.status),
            (change) => this.#keepStock(command.petId, command.categoryId ?? categoryId, change)
          )
        })
      case "deletePet":
        return this.#ofPet(command.petId, (stock, { categoryId }) =>
          this.#settle(Stock.remove(command.petId, stock), (change) => {
            this.#keepStock(command.petId, categoryId, change)
            this.pets.delete(command.petId)
          })
        )
      case "setStock":
        return this.#ofPet(command.petId, (stock, { categoryId }) =>
          this.#settle(Stock.setQuantity(command.petId, stock, command.quantity), (change) =>
            this.#keepStock(command.petId, categoryId, change)
          )
        )
      case "placeOrder": {
        const { type: _, ...input } = command
        const id = this.orders.size + 1
        const outcome = this.#settle(place(input, this.#stockOf, now), (decision) => this.#keepOrder(id, decision))
        return outcome === ok ? { code: "ok", id } : outcome
      }
      case "placeOrders": {
        const stocks = new Map<number, Stock.Stock>()
        const decisions: Array<OrderDecision> = []
        for (const input of command.orders) {
          const decided = place(input, (petId) => stocks.get(petId) ?? this.#stockOf(petId), now)
          if (Result.isFailure(decided)) return { code: decided.failure.code }
          for (const { change, petId } of decided.success.stocks) stocks.set(petId, change.stock)
          decisions.push(decided.success)
        }
        const ids = decisions.map((decision) => {
          const id = this.orders.size + 1
          this.#keepOrder(id, decision)
          return id
        })
        return { code: "ok", ids }
      }
      case "updateOrder": {
        const { orderId, type: _, ...update } = command
        return this.#ofOrder(orderId, (order) => amend(orderId, order, update, this.#stockOf, now))
      }
      case "cancelOrder":
        return this.#ofOrder(command.orderId, (order) => cancel(command.orderId, order, this.#stockOf))
    }
  }

  readonly #stockOf = (petId: number): Stock.Stock | undefined => this.pets.get(petId)?.stock

  #ofPet(petId: number, change: (stock: Stock.Stock, pet: KeptPet) => Outcome): Outcome {
    const pet = this.pets.get(petId)
    return pet === undefined ? { code: "not_found" } : change(pet.stock, pet)
  }

  #ofOrder(orderId: number, decide: (order: OrderContent) => Result.Result<OrderDecision, PetstoreError>): Outcome {
    const order = this.orders.get(orderId)
    if (order === undefined || !orderStates[order.state].visible) return { code: "not_found" }
    return this.#settle(decide(order), (decision) => this.#keepOrder(orderId, decision))
  }

  #settle<A>(decided: Result.Result<A, PetstoreError>, keep: (decision: A) => void): Outcome {
    if (Result.isFailure(decided)) return { code: decided.failure.code }
    keep(decided.success)
    return ok
  }

  #keepOrder(orderId: number, { facts, order, stocks }: OrderDecision): void {
    this.transitions.push({ from: this.orders.get(orderId)?.state, to: order.state })
    this.orders.set(orderId, Object.freeze(order))
    this.facts.set(orderId, [...(this.facts.get(orderId) ?? []), ...facts])
    for (const { change, petId } of stocks) {
      this.#keepStock(petId, this.pets.get(petId)?.categoryId ?? Number.NaN, change, orderId)
    }
  }

  #keepStock(petId: number, categoryId: number, { movements, stock }: Stock.StockChange, orderId?: number): void {
    this.pets.set(petId, { categoryId, stock: Object.freeze(stock) })
    this.ledger.push(...movements.map((movement) => ({ ...movement, petId, orderId })))
  }
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

/** The numbers of a shop and of the model, in one form. */
const numbersOfModel = (model: Model) => ({
  pets: [...model.pets].map(([id, { categoryId, held, onHand }]) => ({
    id,
    categoryId,
    onHand,
    held,
    reserved: model.reserved(id),
    status: model.status(id)
  })),
  orders: [...model.orders].map(([id, { complete, petId, quantity }]) => ({ id, complete, petId, quantity }))
})

const numbersOfShop = (shop: Shop): ReturnType<typeof numbersOfModel> => ({
  pets: [...shop.pets].map(([id, { categoryId, stock }]) => ({
    id,
    categoryId,
    ...stock,
    status: Stock.statusOf(stock)
  })),
  orders: [...shop.orders].flatMap(([id, { petId, quantity, state }]) =>
    orderStates[state].visible ? [{ id, complete: orderStates[state].complete, petId, quantity }] : []
  )
})

const runs = { arbitrary: { runs: 300, size: 100 } }

describe("given any history of commands", () => {
  let commandsRun = 0

  it.prop(
    "then the rules have the results of the reference model, and the same state after each command",
    { commands: history(100) },
    ({ commands }) => {
      const shop = new Shop()
      const model = new Model()
      for (const command of commands) {
        commandsRun++
        assert.deepStrictEqual(shop.run(command), model.run(command))
        assert.deepStrictEqual(numbersOfShop(shop), numbersOfModel(model))
      }
    },
    runs
  )

  it("then that was at least 4,500 commands", () => assert.isAtLeast(commandsRun, 4_500))

  it.prop(
    "then a rejected command changes nothing",
    { commands: history(100) },
    ({ commands }) => {
      const shop = new Shop()
      for (const command of commands) {
        const before = { ...numbersOfShop(shop), entries: shop.ledger.length, facts: new Map(shop.facts) }
        if (shop.run(command).code === "ok") continue
        assert.deepStrictEqual({ ...numbersOfShop(shop), entries: shop.ledger.length, facts: shop.facts }, before)
      }
    },
    runs
  )

  it.prop(
    "then what is reserved of a pet is what its open orders hold",
    { commands: history(100) },
    ({ commands }) => {
      const shop = new Shop()
      for (const command of commands) {
        shop.run(command)
        for (const [id, { stock }] of shop.pets) {
          const open = [...shop.orders.values()].filter(({ petId, state }) => petId === id && state === "open")
          assert.strictEqual(stock.reserved, sum(open.map(({ quantity }) => quantity ?? Number.NaN)))
        }
      }
    },
    runs
  )

  const moved = new Set<string>()

  it.prop(
    "then no part of a ledger oversells, a live pet's sums to its stock, and a deleted pet's to nothing",
    { commands: history(100) },
    ({ commands }) => {
      const shop = new Shop()
      for (const command of commands) shop.run(command)
      const level = new Map<number, { readonly onHand: number; readonly reserved: number }>()
      for (const { deltaOnHand, deltaReserved, kind, petId } of shop.ledger) {
        moved.add(kind)
        const { onHand, reserved } = level.get(petId) ?? { onHand: 0, reserved: 0 }
        const after = { onHand: onHand + deltaOnHand, reserved: reserved + deltaReserved }
        assert.isTrue(0 <= after.reserved && after.reserved <= after.onHand, `${kind} oversells pet ${petId}`)
        level.set(petId, after)
      }
      for (const [petId, { onHand, reserved }] of level) {
        const stock = shop.pets.get(petId)?.stock
        assert.deepStrictEqual([onHand, reserved], [stock?.onHand ?? 0, stock?.reserved ?? 0])
      }
    },
    runs
  )

  it("then every kind of movement was made", () => assert.sameMembers([...moved], [...MovementKind.literals]))

  it.prop(
    "then the movements of an order sum to what it holds or took, with one end at most and nothing behind it",
    { commands: history(100) },
    ({ commands }) => {
      const shop = new Shop()
      for (const command of commands) shop.run(command)
      for (const [orderId, { quantity = 0, state }] of shop.orders) {
        const own = shop.ledger.filter((entry) => entry.orderId === orderId)
        const sums = [sum(own.map((entry) => entry.deltaOnHand)), sum(own.map((entry) => entry.deltaReserved))]
        const expected = { draft: [0, 0], open: [0, quantity], complete: [-quantity, 0], cancelled: [0, 0] }
        assert.deepStrictEqual(sums, expected[state])
        const ends = own.flatMap(({ kind }, index) => (kind === "shipped" || kind === "cancelled" ? [index] : []))
        assert.isAtMost(ends.length, 1)
        for (const end of ends) assert.strictEqual(end, own.length - 1)
      }
    },
    runs
  )

  const taken = new Set<string>()

  it.prop(
    "then an order changes its state only as the table of states allows, and has the fields of its state",
    { commands: history(100) },
    ({ commands }) => {
      const shop = new Shop()
      for (const command of commands) shop.run(command)
      for (const { from, to } of shop.transitions) {
        if (from === undefined || from === to) continue
        assert.include(orderStates[from].next, to)
        taken.add(`${from} -> ${to}`)
      }
      for (const order of shop.orders.values()) assert.isUndefined(fieldProblem(order))
    },
    runs
  )

  it("then every change of state that the table allows happened", () => {
    const allowed = Object.entries(orderStates).flatMap(([from, { next }]) => next.map((to) => `${from} -> ${to}`))
    assert.sameMembers([...taken], allowed)
  })

  it.prop(
    "then a complete order stays as it was shipped, with its pet, quantity and ship date",
    { commands: history(100) },
    ({ commands }) => {
      const shop = new Shop()
      const shipped = new Map<number, OrderContent>()
      for (const command of commands) {
        shop.run(command)
        for (const [id, order] of shop.orders) {
          if (order.state !== "complete") continue
          assert.containsAllKeys(order, ["petId", "quantity", "shipDate"])
          assert.strictEqual(shipped.get(id) ?? order, order)
          shipped.set(id, order)
        }
        for (const id of shipped.keys()) assert.strictEqual(shop.orders.get(id)?.state, "complete")
      }
    },
    runs
  )

  it.prop(
    "then what happened to an order starts with placed, and ends with completed or cancelled if it has ended",
    { commands: history(100) },
    ({ commands }) => {
      const shop = new Shop()
      for (const command of commands) shop.run(command)
      const story = {
        draft: /^placed( updated)*$/,
        open: /^placed( updated)*$/,
        complete: /^placed( updated)* completed$/,
        cancelled: /^placed( updated)* cancelled$/
      }
      for (const [id, { state }] of shop.orders) assert.match(shop.facts.get(id)?.join(" ") ?? "", story[state])
    },
    runs
  )
})
