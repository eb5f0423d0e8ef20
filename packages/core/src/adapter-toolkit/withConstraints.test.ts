import { assert, describe, it } from "@effect/vitest"
import { aMovement, aPetRecord, aStock } from "@petstore/testing"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { InternalError } from "../domain/errors/ServiceErrors.ts"
import { queued } from "../domain/MessageState.ts"
import { memory } from "../memory/index.ts"
import { Storage } from "../ports/Storage.ts"
import type { Transaction } from "../ports/Transaction.ts"
import { withConstraints } from "./withConstraints.ts"

const stock = aStock()
const pet = aPetRecord()
const at = "2026-01-01T00:00:00.000Z"
const movement = aMovement({ seq: 2, kind: "set", deltaOnHand: 0 })
const message = queued("msg_1", "Hello", at)

/** Rows that write nothing, and constraints that know a pet of one movement and a message. */
const given = Effect.gen(function* () {
  const store = yield* Storage
  const rows = {
    ...store,
    pets: { ...store.pets, insertAll: () => Effect.succeed([]), save: () => Effect.void, saveStock: () => Effect.void },
    orders: { ...store.orders, insert: () => Effect.succeed(1) },
    movements: { ...store.movements, append: () => Effect.void },
    messages: { ...store.messages, insert: () => Effect.void, save: () => Effect.void }
  }
  const { deliveries, messages, movements, orders, pets } = withConstraints(rows, {
    accounts: { get: () => undefined },
    consumers: { get: () => undefined },
    categories: { get: (id) => (id === 1 ? "dogs" : undefined) },
    messages: { get: (id) => (id === "msg_1" ? message : undefined) },
    orders: { get: () => undefined },
    pets: {
      get: (id) => {
        if (id === 8) throw new Error("No such page")
        return id === 1 ? pet : undefined
      }
    },
    movements: { last: () => 1 },
    webhooks: { get: () => undefined }
  })
  return {
    refused: {
      "The stock of a pet cannot be": pets.save({ ...pet, stock: { ...stock, reserved: 2 } }),
      "There is no category 7": pets.save({ ...pet, categoryId: 7 }),
      "The status of pet 1 changes": pets.saveStock({ ...pet, stock: { ...stock, held: true } }),
      "The status of pet 7 changes": pets.saveStock({ ...pet, id: 7 }),
      "No such page": pets.saveStock({ ...pet, id: 8 }),
      "There is no pet 7": orders.insert({ order: { state: "open", petId: 7, quantity: 1 }, version: 1 }),
      "needs a pet and a quantity": orders.insert({ order: { state: "open" }, version: 1 }),
      "The seq 1 does not follow": movements.append({ ...movement, seq: 1 }),
      "The seq 3 does not follow": movements.append({ ...movement, seq: 3 }),
      "There is no order 7": movements.append({ ...movement, orderId: 7 }),
      "There is no category 8": pets.insertAll([pet, { ...pet, categoryId: 8 }]),
      "The seq 5 does not follow": movements.appendAll([{ ...movement, seq: 5 }]),
      "There is a message msg_1 already": messages.insert(message),
      "A delivered message has the time when it was": messages.insert({ ...message, id: "msg_2", status: "delivered" }),
      "A queued message has no time": messages.save({ ...message, finishedAt: message.createdAt }),
      "There is no webhook 7": deliveries.insertAll([
        { webhookId: 7, seq: 1, eventId: "evt_1", type: "pet.deleted", subject: "pets/1", createdAt: at }
      ])
    },
    kept: [
      pets.save({ ...pet, name: "Max" }),
      pets.insertAll([pet, pet]),
      movements.appendAll([movement]),
      pets.saveStock({ ...pet, stock: { ...stock, onHand: 2 } }),
      orders.insert({ order: { state: "open", petId: 1, quantity: 1 }, version: 1 }),
      movements.append(movement),
      messages.insert({ ...message, id: "msg_2" }),
      messages.save({ ...message, lease: { fence: 1 }, dueAt: message.createdAt })
    ],
    transact: store.transact
  }
})

const reason = (exit: Exit.Exit<unknown, unknown>): string => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  return error instanceof InternalError ? String(error.cause) : "kept"
}

describe("withConstraints", () => {
  it.effect("given rows that violate a constraint, it fails with the reason", () =>
    Effect.gen(function* () {
      const { refused, transact } = yield* given
      for (const [why, write] of Object.entries(refused)) {
        assert.include(reason(yield* Effect.exit(transact<unknown, unknown, Transaction>(write))), why)
      }
    }).pipe(Effect.provide(memory().layer))
  )

  it.effect("given valid rows, it stores them", () =>
    Effect.gen(function* () {
      const { kept, transact } = yield* given
      for (const write of kept)
        assert.strictEqual(reason(yield* Effect.exit(transact<unknown, unknown, Transaction>(write))), "kept")
    }).pipe(Effect.provide(memory().layer))
  )
})
