import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { withLockChecks } from "../../../../laboratory/locks/withLockChecks.ts"
import { history } from "../../testing/src/commands.ts"
import { type Command, Model, type Outcome } from "../../testing/src/model.ts"
import { runCommand } from "../../testing/src/runCommand.ts"
import { type AffectedPet, type RuleRefusal, type Rules, refusal } from "../domain/rules/index.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { createPetstore } from "./createPetstore.ts"

class NoThrees extends refusal("no_threes", () => "Nobody orders three.") {}
class NoBirdsByMail extends refusal("no_birds_by_mail", () => "Birds are collected in the shop.") {}
class TooMuchPromised extends refusal("too_much_promised", () => "Too many units are promised.") {}
class NotSold extends refusal("not_sold", () => "Dogs are not sold at once.") {}
class NotHeld extends refusal("not_held", () => "New birds are not held.") {}
class NoReturn extends refusal("no_return", () => "Two are never taken back.") {}

/** The categories that every history begins with. */
const [dogs, birds] = [1, 2]

/** What a rule sees, as far as the model knows of it: numbers. */
interface Seen {
  readonly kind: keyof Rules
  readonly orderId?: number | undefined
  readonly before?: SeenOrder | undefined
  readonly order?: SeenOrder | undefined
  readonly pet?: SeenPet | undefined
  readonly status?: string | undefined
}

interface SeenOrder {
  readonly state: string
  readonly petId?: number | undefined
  readonly quantity?: number | undefined
}

interface SeenPet {
  readonly id?: number
  readonly categoryId: number
  readonly stock?: object
  readonly stockAfter?: { readonly reserved: number }
}

/** The rules of the house, for the petstore and for the prediction alike. */
const judge = ({ kind, order, pet, status }: Seen): RuleRefusal | undefined => {
  switch (kind) {
    case "order":
      if (order?.quantity === 3) return new NoThrees({})
      if (order?.state === "complete" && pet?.categoryId === birds) return new NoBirdsByMail({})
      return (pet?.stockAfter?.reserved ?? 0) > 4 ? new TooMuchPromised({}) : undefined
    case "petStatus":
      return status === "sold" && pet?.categoryId === dogs ? new NotSold({}) : undefined
    case "newPet":
      return status === "pending" && pet?.categoryId === birds ? new NotHeld({}) : undefined
    case "cancellation":
      return order?.quantity === 2 ? new NoReturn({}) : undefined
  }
}

const petOf = (pet: AffectedPet | undefined): SeenPet | undefined =>
  pet && { id: pet.id, categoryId: pet.category.id, stock: pet.stock, stockAfter: pet.stockAfter }

/** The rules as a host gives them; `asked` notes what they saw. */
const rulesOf = (asked: (seen: Seen) => RuleRefusal | undefined): Rules => ({
  newPet: ({ pet: { category, status } }) => asked({ kind: "newPet", pet: { categoryId: category.id }, status }),
  petStatus: ({ pet, to }) => asked({ kind: "petStatus", pet: petOf(pet), status: to }),
  order: ({ before, order: { shipDate: _, ...order }, orderId, pet }) =>
    asked({ kind: "order", orderId, before, order, pet: petOf(pet) }),
  cancellation: ({ order, orderId, pet }) => asked({ kind: "cancellation", orderId, order, pet: petOf(pet) })
})

const orderIn = (model: Model, orderId: number): SeenOrder | undefined => {
  const order = model.orders.get(orderId)
  if (order === undefined) return undefined
  const { complete, petId, quantity } = order
  return {
    state: complete ? "complete" : petId === undefined ? "draft" : "open",
    ...(petId === undefined ? {} : { petId }),
    ...(quantity === undefined ? {} : { quantity })
  }
}

const stockIn = (model: Model, petId: number) => {
  const { held = false, onHand = 0 } = model.pets.get(petId) ?? {}
  return { onHand, reserved: model.reserved(petId), held }
}

const petIn = (before: Model, after: Model, petId: number | undefined): SeenPet | undefined =>
  petId === undefined
    ? undefined
    : {
        id: petId,
        categoryId: after.pets.get(petId)?.categoryId ?? 0,
        stock: stockIn(before, petId),
        stockAfter: stockIn(after, petId)
      }

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** What the rules must be asked about a command that turns one state of the model into another; undefined where nothing. */
const question = (command: Command, before: Model, after: Model): Seen | undefined => {
  switch (command.type) {
    case "createPet":
      return {
        kind: "newPet",
        pet: { categoryId: command.categoryId },
        status: command.status ?? "available"
      }
    case "updatePet": {
      const { petId, status } = command
      const pet = petIn(before, after, petId)
      return status === undefined || same(pet?.stock, pet?.stockAfter) ? undefined : { kind: "petStatus", pet, status }
    }
    case "placeOrder": {
      const order = orderIn(after, after.orders.size === 0 ? 0 : Math.max(...after.orders.keys()))
      const pet = petIn(before, after, order?.petId)
      return { kind: "order", orderId: undefined, before: undefined, order, pet }
    }
    case "updateOrder": {
      const { orderId } = command
      const [was, order] = [orderIn(before, orderId), orderIn(after, orderId)]
      const pet = petIn(before, after, order?.petId)
      return same(was, order) ? undefined : { kind: "order", orderId, before: was, order, pet }
    }
    case "cancelOrder": {
      const { orderId } = command
      const order = orderIn(before, orderId)
      return { kind: "cancellation", orderId, order, pet: petIn(before, after, order?.petId) }
    }
    default:
      return undefined
  }
}

/** The outcome of a command, and what the rules are asked. */
interface Answered {
  readonly outcome: Outcome
  readonly asked: ReadonlyArray<Seen>
}

/** The reference model with the rules of the house: a state is what the commands that were not rejected lead to. */
class House {
  private readonly accepted: Array<Command> = []

  private state(): Model {
    const model = new Model()
    for (const command of this.accepted) model.run(command)
    return model
  }

  /** The outcome of a command, and what the rules are asked. */
  run(command: Command): Answered {
    if (command.type === "placeOrders") return this.runAll(command.orders)
    const [before, after] = [this.state(), this.state()]
    const outcome = after.run(command)
    if (outcome.code !== "ok") return { outcome, asked: [] }
    const seen = question(command, before, after)
    const refused = seen && judge(seen)
    if (refused === undefined) this.accepted.push(command)
    return {
      outcome: refused === undefined ? outcome : { code: refused.code },
      asked: seen === undefined ? [] : [seen]
    }
  }

  /** The orders of a basket: each as it would be alone, until one is rejected. */
  private runAll(orders: Extract<Command, { readonly type: "placeOrders" }>["orders"]): Answered {
    const { length } = this.accepted
    const [asked, ids]: [Array<Seen>, Array<number>] = [[], []]
    for (const fields of orders) {
      const { asked: ofOrder, outcome } = this.run({ type: "placeOrder", ...fields })
      asked.push(...ofOrder)
      if (!("id" in outcome) || outcome.id === undefined) {
        this.accepted.length = length
        return { outcome, asked }
      }
      ids.push(outcome.id)
    }
    return { outcome: { code: "ok", ids }, asked }
  }
}

/** Runs commands on a petstore with custom rules and on its model, and returns the outcomes. */
const checkAgainstModel = async (commands: ReadonlyArray<Command>): Promise<ReadonlyArray<string>> => {
  const asked: Array<Seen> = []
  const rules = rulesOf((seen) => {
    asked.push(seen)
    return judge(seen)
  })
  await using petstore = await createPetstore({ storage: withLockChecks(memory()), rules })
  const house = new House()
  const codes: Array<string> = []
  for (const command of commands) {
    const predicted = house.run(command)
    const outcome = await runCommand(petstore, command)
    assert.deepStrictEqual({ outcome, asked: asked.splice(0) }, predicted)
    codes.push(outcome.code)
  }
  assert.isTrue((await petstore.verify()).ok)
  return codes
}

describe("given a host with rules", () => {
  it("when a history breaks each of them, then it is rejected as the reference model expects", async () => {
    const codes = await checkAgainstModel([
      { type: "createCategory", name: "Dogs" },
      { type: "createCategory", name: "Birds" },
      { type: "createPet", categoryId: birds, status: "pending" },
      { type: "createPet", categoryId: dogs },
      { type: "createPet", categoryId: birds },
      { type: "setStock", petId: 1, quantity: 9 },
      { type: "updatePet", petId: 1, status: "sold" },
      { type: "placeOrder", petId: 1, quantity: 3 },
      { type: "placeOrder", petId: 1, quantity: 5 },
      { type: "placeOrder", petId: 2 },
      { type: "updateOrder", orderId: 1, complete: true },
      { type: "placeOrder", petId: 1, quantity: 2 },
      { type: "cancelOrder", orderId: 2 },
      { type: "cancelOrder", orderId: 1 }
    ])
    assert.deepStrictEqual(codes, [
      ...["ok", "ok", "not_held", "ok", "ok", "ok", "not_sold", "no_threes", "too_much_promised", "ok"],
      ...["no_birds_by_mail", "ok", "no_return", "ok"]
    ])
  })

  it.effect.prop(
    "when any history of commands runs, then the rules receive exactly what the reference model expects",
    { commands: history(60) },
    ({ commands }) => Effect.promise(() => checkAgainstModel(commands)),
    { arbitrary: { runs: 150, size: 60 } }
  )
})
