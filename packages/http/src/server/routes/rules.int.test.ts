import { assert, describe, it } from "@effect/vitest"
import { memory, type Rules, refusal } from "@petstore/core"
import { layer } from "@petstore/core/runtime"
import { createClient, UnlistedError } from "@petstore/http/client"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { served } from "../../../test/support/remote.ts"
import { startServer } from "../../../test/support/TestServer.ts"

class NoReptilesByMail extends refusal(
  "no_reptiles_by_mail",
  ({ petId }: { readonly petId: number }) => `Pet ${petId} is a reptile. Collect it in the shop.`
) {}
class NoSnakes extends refusal("no_snakes", () => "We have no terrarium.") {}
class NeverHeld extends refusal("never_held", () => "The mascot is always on show.") {}
class FinalSale extends refusal("final_sale", () => "Reptiles are not taken back.") {}

const rules: Rules = {
  newPet: ({ pet }) => (pet.name === "Kaa" ? new NoSnakes({}) : undefined),
  petStatus: ({ pet, to }) => (pet.name === "Nessie" && to === "pending" ? new NeverHeld({}) : undefined),
  order: ({ facts, pet }) =>
    pet?.category.name === "Reptiles" && facts.includes("completed")
      ? new NoReptilesByMail({ petId: pet.id })
      : undefined,
  cancellation: ({ pet }) => (pet?.category.name === "Reptiles" ? new FinalSale({}) : undefined)
}

/** A server with these rules, which checks each response against the published document, and its log. */
const withRules = (given: Rules) =>
  Effect.gen(function* () {
    const logged: Array<string> = []
    const log = Logger.layer([Logger.map(Logger.formatStructured, (entry) => logged.push(JSON.stringify(entry)))])
    const runtime = yield* Layer.build(Layer.merge(layer(memory(), { rules: given }), log))
    const server = yield* startServer({}, runtime)
    yield* server.send("POST", "/v1/categories", { body: { name: "Reptiles" } })
    yield* server.send("POST", "/v1/pets", { body: { name: "Nessie", categoryId: 1 } })
    return { ...server, logged }
  })

describe("given a host application with rules, over HTTP", () => {
  it.effect(
    "when a rule rejects, then the response is 409 with the rule's code, message and details, as published",
    () =>
      Effect.gen(function* () {
        const { send } = yield* withRules(rules)
        yield* send("PATCH", "/v1/inventory/1", { body: { quantity: 3 } })
        yield* send("POST", "/v1/store/orders", { body: { petId: 1 } })
        const byMail = ["no_reptiles_by_mail", "Pet 1 is a reptile. Collect it in the shop.", { petId: 1 }] as const
        const refusals = [
          ["POST", "/v1/pets", { name: "Kaa", categoryId: 1 }, "no_snakes", "We have no terrarium."],
          ["PATCH", "/v1/pets/1", { status: "pending" }, "never_held", "The mascot is always on show."],
          ["POST", "/v1/store/orders", { petId: 1, complete: true }, ...byMail],
          ["PATCH", "/v1/store/orders/1", { complete: true }, ...byMail],
          ["DELETE", "/v1/store/orders/1", undefined, "final_sale", "Reptiles are not taken back."]
        ] as const
        for (const [method, path, body, code, message, details] of refusals) {
          const reply = yield* send(method, path, body === undefined ? {} : { body })
          assert.strictEqual(reply.status, 409)
          assert.deepStrictEqual(reply.body, { code, message, status: 409, ...(details && { details }) })
        }
        assert.deepStrictEqual((yield* send("GET", "/v1/store/orders")).body, [
          { id: 1, petId: 1, quantity: 1, complete: false }
        ])
      })
  )

  it.effect(
    "when a rule throws, then the response is 500 without its message, and the log has its name and the cause",
    () =>
      Effect.gen(function* () {
        const failing = () => {
          throw new Error("The table of tides is lost")
        }
        const { logged, send } = yield* withRules({ order: failing })
        const reply = yield* send("POST", "/v1/store/orders", { body: { petId: 1 } })
        assert.deepStrictEqual(reply.body, {
          code: "internal_error",
          message: "Internal error. Nothing was changed. The log has the cause.",
          status: 500
        })
        assert.include(logged.join(), "The rule failing (rules.order) threw an error")
        assert.include(logged.join(), "The table of tides is lost")
        assert.deepStrictEqual((yield* send("GET", "/v1/store/orders")).body, [])
      })
  )

  it.effect("when a client is rejected by a rule, then it gets the code and the details", () =>
    Effect.gen(function* () {
      let closed = true
      const order: Rules["order"] = ({ pet }) =>
        closed && pet !== undefined ? new NoReptilesByMail({ petId: pet.id }) : undefined
      const { baseUrl, key, petstore } = yield* served(memory(), { order })
      const client = createClient({ baseUrl, key })
      yield* Effect.promise(async () => {
        const { id: categoryId } = await client.categories.create({ name: "Reptiles" })
        const { id: petId } = await client.pets.create({ name: "Nessie", categoryId })
        const place = () => client.orders.place({ petId }, { idempotencyKey: "once" })
        const refused = await place().catch((error: unknown) => error)
        if (!(refused instanceof UnlistedError)) return assert.fail(String(refused))
        const { code, details, message, status } = refused
        assert.deepStrictEqual([code, status, details], ["no_reptiles_by_mail", 409, { petId }])
        assert.strictEqual(message, `Pet ${petId} is a reptile. Collect it in the shop.`)

        const near = await petstore.orders.place({ petId }).catch((error: unknown) => error)
        assert.instanceOf(near, NoReptilesByMail)

        closed = false
        const placed = await place()
        closed = true
        assert.deepStrictEqual(await place(), placed)
        assert.isTrue((await petstore.verify()).ok)
      })
    })
  )
})
