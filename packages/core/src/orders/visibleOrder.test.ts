import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assertRejects } from "../../testing/src/assertRejects.ts"
import { decorated } from "../../testing/src/decorated.ts"
import { createStockedPet } from "../../testing/src/testData.ts"
import { testPetstore } from "../../testing/src/testPetstore.ts"
import type { Transaction } from "../engine/Transaction.ts"
import { memory } from "../memory/MemoryStorage.ts"
import type { PetstoreApi } from "../petstore/PetstoreApi.ts"
import { Storage, type StorageAdapter } from "../ports/Storage.ts"

/** A transaction that notes what a command asks it for. */
const notingCalls = (tx: Transaction, calls: Array<string>): Transaction =>
  new Proxy(tx, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== "function") return member
      return (table: { readonly name: string }, ...rest: ReadonlyArray<unknown>): unknown => {
        calls.push(`${String(name)} ${table.name}`)
        return Reflect.apply(member, target, [table, ...rest])
      }
    }
  })

/** A store that notes each statement. */
const noting = (statements: Array<string>): StorageAdapter => {
  const noted =
    (name: string) =>
    <A, E, R>(statement: Effect.Effect<A, E, R>) =>
      Effect.tap(statement, () => Effect.sync(() => statements.push(name)))
  return decorated(memory(), (adapter) => ({
    ...adapter,
    layer: Layer.effect(
      Storage,
      Effect.map(Layer.build(adapter.layer), (services): Storage["Service"] => {
        const store = Context.get(services, Storage)
        return {
          ...store,
          find: (table, key) => noted(`find ${table.name}`)(store.find(table, key)),
          findAll: (table, keys) => noted(`findAll ${table.name}`)(store.findAll(table, keys)),
          run: (begin, command) => store.run((tx, context) => begin(notingCalls(tx, statements), context), command),
          select: (query, argument, limit) => noted(`select ${query.name}`)(store.select(query, argument, limit)),
          events: {
            ...store.events,
            scan: (after, limit) => noted("scan events")(store.events.scan(after, limit))
          }
        }
      })
    )
  }))
}

type Call = (petstore: PetstoreApi, orderId: number) => Promise<unknown>

const key = { idempotencyKey: "once" }

const refused: Readonly<Record<string, Call>> = {
  "reads it": ({ orders }, id) => orders.get(id),
  "changes it": ({ orders }, id) => orders.update(id, { quantity: 2 }),
  "changes it with an idempotency key": ({ orders }, id) => orders.update(id, { quantity: 2 }, key),
  "changes it at a version": ({ orders }, id) => orders.update(id, { quantity: 2 }, { ifVersion: 1 }),
  "completes it": ({ orders }, id) => orders.complete(id),
  "cancels it": ({ orders }, id) => orders.cancel(id),
  "reads its reservation": ({ orders }, id) => orders.reservation(id),
  "sets its reservation": ({ orders }, id) => orders.setReservation(id, { reserveFor: "1 hour" }),
  "removes its reservation": ({ orders }, id) => orders.removeReservation(id),
  "reads its record": ({ records }, id) => records.get("orders", id),
  "changes its record": ({ records }, id) => records.update("orders", id, { externalId: "B" })
}

describe("given an order of another", () => {
  for (const [what, call] of Object.entries(refused)) {
    it(`when a user who sees only their own ${what}, then the statements are those for an order that does not exist`, async () => {
      const statements: Array<string> = []
      await using petstore = await testPetstore({ storage: noting(statements) })
      await createStockedPet(petstore, { onHand: 9 })
      const [ada, bob] = [petstore.as({ user: "ada" }), petstore.as({ user: "bob" })]
      const mine = await bob.orders.place({ petId: 1 }, { reserveFor: "1 day" })
      const { id } = await ada.orders.place({ petId: 1 }, { reserveFor: "1 day" })
      await petstore.records.update("orders", id, { externalId: "A" })
      const statementsOf = async (orderId: number) => {
        statements.length = 0
        await assertRejects(call(bob, orderId), "not_found")
        return [...statements]
      }
      const ofAnother = await statementsOf(id)
      assert.deepStrictEqual(ofAnother, await statementsOf(1_000))
      assert.isNotEmpty(ofAnother)
      const locked = ofAnother.filter((statement) => /^lock.* (orders|pets)$/.test(statement))
      assert.isEmpty(locked, "it waits for nobody who changes the order")
      await call(bob, mine.id)
    })
  }

  it("when a user looks for its external id, then the statements are those for one that does not exist", async () => {
    const statements: Array<string> = []
    await using petstore = await testPetstore({ storage: noting(statements) })
    const [ada, bob] = [petstore.as({ user: "ada" }), petstore.as({ user: "bob" })]
    const { id } = await ada.orders.place({})
    await petstore.records.update("orders", id, { externalId: "A" })
    const statementsOf = async (externalId: string) => {
      statements.length = 0
      await assertRejects(bob.records.getByExternalId("orders", externalId), "not_found")
      return [...statements]
    }
    assert.deepStrictEqual(await statementsOf("A"), await statementsOf("B"))
  })

  it("when a user asks for its events, then the statements are those for an order that does not exist", async () => {
    const statements: Array<string> = []
    await using petstore = await testPetstore({ storage: noting(statements) })
    const [ada, bob] = [petstore.as({ user: "ada" }), petstore.as({ user: "bob" })]
    const { id } = await ada.orders.place({})
    const statementsOf = async (orderId: number) => {
      statements.length = 0
      assert.isEmpty((await bob.events.list({ subject: `orders/${orderId}` })).items)
      return [...statements]
    }
    assert.deepStrictEqual(await statementsOf(id), await statementsOf(1_000))
  })
})
