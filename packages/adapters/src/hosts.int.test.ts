import { assert, describe, it } from "@effect/vitest"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { clearText, expectLogs } from "../../core/test/support/expectLogs.ts"
import { transactOn } from "../test/support/HostLibrary.ts"
import { twoSold, untouched } from "../test/support/host.ts"
import { type HostShop, hosts } from "../test/support/hosts.ts"
import { codeOf, rejection } from "../test/support/rejections.ts"

expectLogs(clearText)

type Case = (shop: HostShop) => Effect.Effect<void, unknown, Scope.Scope>

const test =
  (body: (shop: HostShop) => Promise<void>): Case =>
  (shop) =>
    Effect.promise(() => body(shop))

/** What holds for the transactions of every library on every engine. */
const cases: Readonly<Record<string, Case>> = {
  "when it commits, then its rows and those of the petstore are there, and nothing of rejected calls": test(
    async ({ committed, library, petId, petstore }) => {
      const { commit, run, transaction } = await library.begin()
      const order = await petstore.orders.place({ petId, quantity: 2 }, { transaction, idempotencyKey: "once" })
      const tooMuch = petstore.orders.place({ petId, quantity: 4 }, { transaction })
      assert.strictEqual(await codeOf(tooMuch), "insufficient_stock")
      assert.strictEqual(await codeOf(petstore.orders.place({ petId: 99 }, { transaction })), "unknown_pet")
      assert.strictEqual(await codeOf(petstore.pets.get(0, { transaction })), "validation_failed")
      await run(`INSERT INTO invoices (order_id) VALUES (${order.id})`)
      assert.strictEqual((await petstore.orders.get(order.id, { transaction })).quantity, 2)
      assert.deepStrictEqual(await committed(), untouched)
      await commit()
      assert.deepStrictEqual(await committed(), twoSold)
      await petstore.orders.place({ petId, quantity: 2 }, { idempotencyKey: "once" })
      assert.deepStrictEqual(await committed(), twoSold)
    }
  ),

  "when it rolls back, then nothing is there": test(async ({ committed, library, petId, petstore }) => {
    const { rollback, run, transaction } = await library.begin()
    await petstore.orders.place({ petId }, { transaction })
    await run("INSERT INTO invoices (order_id) VALUES (1)")
    await rollback()
    assert.deepStrictEqual(await committed(), untouched)
  }),

  "when a savepoint of the host is rolled back, then so are the calls in it": test(
    async ({ committed, library, petId, petstore }) => {
      const { commit, run, transaction } = await library.begin()
      await run("SAVEPOINT petstore_part")
      await petstore.orders.place({ petId }, { transaction })
      await run("ROLLBACK TO petstore_part")
      await petstore.orders.place({ petId, quantity: 3 }, { transaction })
      await commit()
      assert.deepStrictEqual((await committed()).orders, [3])
    }
  ),

  "when an idempotency key was used in it, then the key is used once it commits, and not before": test(
    async ({ committed, library, petId, petstore }) => {
      const place = (transaction?: object) => petstore.orders.place({ petId }, { transaction, idempotencyKey: "k" })
      const first = await library.begin()
      const provisional = await place(first.transaction)
      assert.deepStrictEqual(await place(first.transaction), provisional)
      await first.rollback()
      const second = await library.begin()
      const order = await place(second.transaction)
      await second.commit()
      assert.deepStrictEqual(await place(), order)
      assert.deepStrictEqual((await committed()).orders, [1])
    }
  ),

  "when an API key is created in it and rolled back, then no cache contains it": test(async ({ library, petstore }) => {
    const { id: accountId } = await petstore.accounts.create({ name: "Shop" })
    const { rollback, transaction } = await library.begin()
    const key = await petstore.apiKeys.create({ accountId, name: "Till", preset: "read" }, { transaction })
    assert.strictEqual((await petstore.apiKeys.get(key.id, { transaction })).name, "Till")
    assert.strictEqual(await codeOf(petstore.apiKeys.get(key.id)), "not_found")
    await rollback()
    assert.strictEqual(await codeOf(petstore.apiKeys.get(key.id)), "not_found")
  }),

  "when it rolls back and the next one commits, then subscribers receive only what was committed": test(
    async ({ library, petId, petstore }) => {
      const received: Array<unknown> = []
      const { promise, resolve } = Promise.withResolvers<void>()
      const subscription = await petstore.events.subscribe(({ data, type }) => {
        if (type === "order.placed") received.push(data.quantity)
        if (type === "order.cancelled") resolve()
      })
      for (const quantity of [3, 2]) {
        const { commit, rollback, transaction } = await library.begin()
        const { id } = await petstore.orders.place({ petId, quantity }, { transaction })
        await petstore.orders.cancel(id, { transaction })
        await (quantity === 3 ? rollback() : commit())
      }
      await promise
      subscription.close()
      assert.deepStrictEqual(received, [2])
    }
  ),

  "when two petstores are called in it at the same time, then they take turns, and both commit with it": ({
    library,
    openApart,
    petstore
  }) =>
    Effect.gen(function* () {
      const both = [petstore, yield* openApart]
      const namesIn = () =>
        Promise.all(both.map(async ({ categories }) => (await categories.list()).items.map(({ name }) => name)))
      yield* Effect.promise(async () => {
        const { commit, transaction } = await library.begin()
        const create = (name: string) => both.map(({ categories }) => categories.create({ name }, { transaction }))
        // The second one of a name is rejected, and rolls back nothing of the others.
        const outcomes = await Promise.allSettled(["Cats", "cats", "Dogs", "dogs"].flatMap(create))
        const twice = ["made", "made", "category_name_taken", "category_name_taken"]
        assert.deepStrictEqual(
          outcomes.map((outcome) => (outcome.status === "fulfilled" ? "made" : outcome.reason.code)),
          [...twice, ...twice]
        )
        assert.deepStrictEqual(await namesIn(), [["Rabbits"], []])
        await commit()
        assert.deepStrictEqual(await namesIn(), [
          ["Rabbits", "Cats", "Dogs"],
          ["Cats", "Dogs"]
        ])
      })
      for (const each of both) yield* checkInvariants(each)
    }),

  "when a trigger of the host rejects a call, then only that has no effect": test(
    async ({ committed, execute, library, petId, petstore, sql }) => {
      await execute(sql.limitOrders)
      const { commit, transaction } = await library.begin()
      const error = await rejection(petstore.orders.place({ petId, quantity: 3 }, { transaction }))
      assert.match(String(error.cause), /too many/)
      assert.strictEqual(error.code, "internal_error")
      await petstore.orders.place({ petId, quantity: 2 }, { transaction })
      await commit()
      await execute(sql.freeOrders)
      assert.deepStrictEqual((await committed()).orders, [2])
    }
  ),

  "when it can only read, then calls that read succeed, and others are rejected": test(
    async ({ committed, library, petId, petstore, sql }) => {
      const { commit, run, transaction } = await library.begin()
      await run(sql.readOnly)
      assert.strictEqual((await petstore.pets.get(petId, { transaction })).name, "Flopsy")
      const error = await rejection(petstore.orders.place({ petId }, { transaction }))
      assert.match(String(error), /InternalError: .*read-only/)
      await commit()
      assert.deepStrictEqual(await committed(), untouched)
    }
  ),

  "when orders have a limit, then those count that it has placed itself, until it rolls back": ({
    library,
    openAnother,
    petId
  }) =>
    Effect.gen(function* () {
      const { orders } = (yield* openAnother({ orderLimits: { openOrders: 2 } })).as({ user: "ada" })
      const noCredit = new Error("no credit")
      yield* Effect.promise(async () => {
        const fill = async (transaction: object) => {
          for (let order = 0; order < 2; order++) await orders.place({ petId }, { transaction })
          assert.strictEqual(await codeOf(orders.place({ petId }, { transaction })), "order_limit_exceeded")
        }
        const undone = transactOn(library)(async (transaction) => {
          await fill(transaction)
          throw noCredit
        })
        assert.strictEqual(await rejection(undone), noCredit)
        await transactOn(library)(fill)
        assert.lengthOf((await orders.list()).items, 2)
        assert.strictEqual(await codeOf(orders.place({ petId })), "order_limit_exceeded")
      })
    })
}

for (const { name, open } of hosts()) {
  describe(`given a transaction of ${name}`, () => {
    for (const [title, body] of Object.entries(cases)) {
      it.effect(title, () =>
        Effect.gen(function* () {
          const shop = yield* open
          yield* body(shop)
          yield* checkInvariants(shop.petstore)
        })
      )
    }
  })
}
