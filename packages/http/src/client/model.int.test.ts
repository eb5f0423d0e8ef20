import { assert, describe, it } from "@effect/vitest"
import { memory, type PetstoreApi, PetstoreError } from "@petstore/core"
import { createClient, type Fetch } from "@petstore/http/client"
import { type Command, checkInvariants, command, history, Model, type Outcome, readState } from "@petstore/testing"
import { type Arbitrary, all, array, schema } from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Served, served } from "../../test/support/remote.ts"

/** What befalls the first request of a command. */
const networks = ["fine", "request lost", "response lost", "refused"] as const

/** How a command is given. */
interface Manner {
  readonly network: (typeof networks)[number]
  /** Which version of its resource a change names, if any. */
  readonly version: "none" | "present" | "other"
  /** Whether a creation has a key, and is called again with it. */
  readonly twice: boolean
}

const manner: Arbitrary<Manner> = all({
  network: schema(Schema.Literals(["fine", "fine", ...networks])),
  version: schema(Schema.Literals(["none", "present", "other"])),
  twice: schema(Schema.Boolean)
})

/** A pet, inventory item, category or order with its version. */
interface Resource {
  readonly id?: number
  readonly version: number
}

type Options = { readonly idempotencyKey?: string | undefined; readonly ifVersion?: number | undefined }

const isCompletion = (command: Command): boolean =>
  command.type === "updateOrder" && Object.keys(command).join() === "type,orderId,complete" && command.complete === true

const kindOf = (command: Command): "creation" | "update" | "deletion" => {
  switch (command.type) {
    case "createCategory":
    case "createPet":
    case "placeOrder":
    case "placeOrders":
    // It has no version either.
    case "adjustStock":
      return "creation"
    case "deleteCategory":
    case "deletePet":
    case "cancelOrder":
      return "deletion"
    default:
      return "update"
  }
}

const call = (petstore: PetstoreApi, command: Command, options: Options): Promise<unknown> => {
  const { categories, inventory, orders, pets } = petstore
  switch (command.type) {
    case "createCategory":
      return categories.create({ name: command.name }, options)
    case "deleteCategory":
      return categories.delete(command.categoryId, options)
    case "createPet": {
      const { type: _, ...fields } = command
      return pets.create({ name: "Rex", ...fields }, options)
    }
    case "updatePet": {
      const { petId, type: _, ...fields } = command
      return pets.update(petId, fields, options)
    }
    case "deletePet":
      return pets.delete(command.petId, options)
    case "setStock":
      return inventory.set(command.petId, command.quantity, options)
    case "adjustStock": {
      const { petId, type: _, ...adjustment } = command
      return inventory.adjust(petId, adjustment, options)
    }
    case "placeOrder": {
      const { type: _, ...fields } = command
      return orders.place(fields, options)
    }
    case "placeOrders":
      return orders.placeAll(command.orders, options)
    case "updateOrder": {
      const { orderId, type: _, ...fields } = command
      return isCompletion(command) ? orders.complete(orderId, options) : orders.update(orderId, fields, options)
    }
    case "cancelOrder":
      return orders.cancel(command.orderId, options)
  }
}

const codeOf = (error: unknown): string => {
  if (error instanceof PetstoreError) return error.code
  throw error
}

const petOf = async ({ pets }: PetstoreApi, petId: number): Promise<Resource> => {
  const { inventory: _, ...pet } = await pets.getWithInventory(petId)
  return pet
}

const read = (petstore: PetstoreApi, command: Command, made: number): Promise<Resource> => {
  switch (command.type) {
    case "createCategory":
      return petstore.categories.get(made)
    case "deleteCategory":
      return petstore.categories.get(command.categoryId)
    case "createPet":
      return petOf(petstore, made)
    case "updatePet":
    case "deletePet":
      return petOf(petstore, command.petId)
    case "setStock":
    case "adjustStock":
      return petstore.inventory.get(command.petId)
    case "placeOrder":
    case "placeOrders":
      return petstore.orders.get(made)
    case "updateOrder":
    case "cancelOrder":
      return petstore.orders.get(command.orderId)
  }
}

/** What a command is about, with the id of what it made if it does; undefined if there is none. */
const present = async (petstore: PetstoreApi, command: Command, made = 4_711): Promise<Resource | undefined> => {
  try {
    return await read(petstore, command, made)
  } catch (error) {
    assert.strictEqual(codeOf(error), "not_found")
    return undefined
  }
}

const isResource = (result: unknown): result is Resource =>
  typeof result === "object" && result !== null && "version" in result

/** What was lost is sent again, with one key for each call. To a deletion, what is gone then was deleted by the first attempt. */
const isGone = (command: Command, { network }: Manner, served: Outcome): boolean =>
  kindOf(command) === "deletion" &&
  served.code === "not_found" &&
  (network === "request lost" || network === "response lost")

/** A petstore over a network that fails on demand, and the model of its contents. */
class Comparison {
  readonly petstore: PetstoreApi
  readonly model = new Model()
  #failure: Manner["network"] = "fine"
  #keys = 0

  constructor({ baseUrl, key }: Served) {
    this.petstore = createClient({ baseUrl, key, fetch: this.#fetch, maxDelay: 1 })
  }

  readonly #fetch: Fetch = async (url, init) => {
    const failure = this.#failure
    this.#failure = "fine"
    if (failure === "request lost") throw new TypeError("fetch failed")
    if (failure === "refused") {
      return Response.json({ code: "overloaded", message: "Later.", status: 503 }, { status: 503 })
    }
    const response = await fetch(url, init)
    if (failure === "fine") return response
    await response.arrayBuffer()
    throw new TypeError("terminated")
  }

  /** Runs a command and checks its result and all that can be read then. Returns its code. */
  async step(command: Command, manner: Manner): Promise<string> {
    const before = await present(this.petstore, command)
    const options: Options = {
      idempotencyKey: manner.twice ? `key-${++this.#keys}` : undefined,
      ...(kindOf(command) === "creation" ? {} : { ifVersion: this.#ifVersion(manner, before) })
    }
    this.#failure = manner.network
    const outcome = await this.#outcome(command, options)
    this.#failure = "fine"
    const served = this.#served(command, manner, before, outcome)
    assert.deepStrictEqual(outcome, isGone(command, manner, served) ? { code: "ok" } : served)
    if (options.idempotencyKey !== undefined) await this.#again(command, options, served)
    assert.deepStrictEqual(await readState(this.petstore), this.model.state)
    return outcome.code
  }

  #ifVersion({ version }: Manner, before: Resource = { version: 1 }): number | undefined {
    return version === "none" ? undefined : before.version + (version === "present" ? 0 : 1)
  }

  async #outcome(command: Command, options: Options): Promise<Outcome> {
    try {
      const result = await call(this.petstore, command, options)
      if (Array.isArray(result)) return { code: "ok", ids: result.map(({ id }) => id) }
      if (!isResource(result)) return { code: "ok" }
      assert.deepStrictEqual(result, await present(this.petstore, command, result.id))
      return kindOf(command) === "creation" && result.id !== undefined ? { code: "ok", id: result.id } : { code: "ok" }
    } catch (error) {
      return { code: codeOf(error) }
    }
  }

  /** What the server makes of a command that reaches it. */
  #served(command: Command, { version }: Manner, before: Resource | undefined, observed: Outcome): Outcome {
    const other = kindOf(command) !== "creation" && version === "other" && before !== undefined
    return other ? { code: "precondition_failed" } : this.model.run(command, observed)
  }

  /** A command that is repeated with its key returns the same, and no other input is accepted with the key. */
  async #again(command: Command, options: Options, outcome: Outcome): Promise<void> {
    assert.deepStrictEqual(await this.#outcome(command, options), outcome)
    if (outcome.code !== "ok") return
    const other = this.petstore.messages.enqueue("Hello", { idempotencyKey: options.idempotencyKey })
    assert.strictEqual(await other.then(() => "ok", codeOf), "idempotency_key_reused")
  }
}

const size = { minLength: 40, maxLength: 60 }

const seed = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31))

describe("given any history over HTTP, with losses, repetitions and versions", () => {
  const ended = new Map<string, number>()

  it.effect.prop(
    `when it is that of npm run lab -- model --seed ${seed} --rounds 1, then every result is that of the reference model`,
    { opening: history(0), commands: array(command, size), manners: array(manner, size) },
    ({ manners, opening, commands }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const there = yield* served(memory())
          const comparison = new Comparison(there)
          for (const [index, each] of [...opening, ...commands].entries()) {
            const how = manners[index % manners.length] ?? assert.fail("There are no manners")
            const code = yield* Effect.promise(() => comparison.step(each, how))
            ended.set(code, (ended.get(code) ?? 0) + 1)
          }
          yield* checkInvariants(there.petstore)
        })
      ),
    { arbitrary: { runs: 5, size: 100, seed } }
  )

  it("then many of its commands were done and rejected", () => {
    for (const code of ["ok", "precondition_failed", "not_found"]) {
      assert.isAbove(ended.get(code) ?? 0, 0, code)
    }
  })
})
