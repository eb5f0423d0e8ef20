import { assert, describe, it } from "@effect/vitest"
import type { SqlTransaction } from "@petstore/adapters/kysely"
import type { Petstore } from "@petstore/core"
import { checkInvariants, engineContract, registerContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { contracts } from "../../../test/support/contracts.ts"
import { committed, openDatabase, openGuest, shop, untouched } from "../../../test/support/host.ts"
import { inHostTransactions, oneByOne } from "../../../test/support/inHostTransactions.ts"
import { type InLibrary, libraries } from "../../../test/support/libraryTransactions.ts"
import { migratedFile } from "../../../test/support/migratedFile.ts"
import { codeOf, rejection, rejectsTypeError } from "../../../test/support/rejections.ts"

expectLogs(clearText)

class Cancelled extends Error {}

/** Makes calls until the disk is full. */
const fill = async (petstore: Petstore, transaction: SqlTransaction): Promise<void> => {
  for (let n = 0; n < 4; n++) await petstore.messages.enqueue("x".repeat(16_000), { transaction })
}

for (const [name, open] of Object.entries(libraries)) {
  const inShop = (body: (given: Shop) => Promise<void>) =>
    Effect.gen(function* () {
      const opened = yield* shop()
      yield* Effect.promise(() => body({ ...opened, within: open(opened.db) }))
      yield* checkInvariants(opened.petstore)
    })
  type Shop = Effect.Success<ReturnType<typeof shop>> & { readonly within: InLibrary }

  describe(`given a transaction of ${name}`, () => {
    it.effect("when it commits, then its rows and those of the petstore are there, and nothing of rejected calls", () =>
      inShop(async ({ file, petId, petstore, within }) => {
        await within(async ({ invoice, transaction }) => {
          const order = await petstore.orders.place({ petId, quantity: 2 }, { transaction, idempotencyKey: "once" })
          const tooMuch = petstore.orders.place({ petId, quantity: 4 }, { transaction })
          assert.strictEqual(await codeOf(tooMuch), "insufficient_stock")
          await invoice(order.id)
          assert.strictEqual((await petstore.orders.get(order.id, { transaction })).quantity, 2)
          assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
        })
        const after = { invoices: 1, events: 6, orders: [2], reserved: 2 }
        assert.deepStrictEqual(await committed(file, petstore, petId), after)
        await petstore.orders.place({ petId, quantity: 2 }, { idempotencyKey: "once" })
        assert.deepStrictEqual(await committed(file, petstore, petId), after)
      })
    )

    it.effect("when two petstores with two prefixes are called in it at the same time, then they take turns, too", () =>
      Effect.gen(function* () {
        const { db, petstore } = yield* shop()
        const other = yield* openGuest(db, { tablePrefix: "other_" })
        yield* Effect.promise(() =>
          open(db)(async ({ transaction }) => {
            const create = (name: string) =>
              [petstore, other].map((each) =>
                each.categories.create({ name }, { transaction }).then(
                  () => "made",
                  ({ code }) => code
                )
              )
            // The second one of a name is rejected, and rolls back nothing of the others.
            const outcomes = await Promise.all(["Cats", "cats", "Dogs", "dogs"].flatMap(create))
            const twice = ["made", "made", "category_name_taken", "category_name_taken"]
            assert.deepStrictEqual(outcomes, [...twice, ...twice])
          })
        )
        for (const each of [petstore, other]) {
          const { items } = yield* Effect.promise(() => each.categories.list())
          assert.deepStrictEqual(
            items.map((category) => category.name).filter((category) => category !== "Rabbits"),
            ["Cats", "Dogs"]
          )
          yield* checkInvariants(each)
        }
      })
    )

    it.effect("when calls of the engine's own are made meanwhile, then they are done after it", () =>
      inShop(async ({ file, petId, petstore, within }) => {
        const other = await within(async ({ transaction }) => {
          await petstore.orders.place({ petId, quantity: 4 }, { transaction })
          const other = petstore.orders.place({ petId })
          assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
          return [other]
        })
        await other[0]
        assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [4, 1])
      })
    )

    it.effect("when SQLite has rolled it back by itself, then a call in it is rejected and changes nothing", () =>
      inShop(async ({ db, file, petId, petstore, within }) => {
        await within(async ({ transaction }) => {
          await petstore.orders.place({ petId }, { transaction })
          db.exec("ROLLBACK")
          await rejectsTypeError(petstore.orders.place({ petId }, { transaction }), /has no open transaction/)
          assert.isFalse(db.isTransaction)
          db.exec("BEGIN")
        })
        assert.strictEqual(db.prepare("PRAGMA foreign_keys").get()?.foreign_keys, 1)
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      })
    )

    it.effect("when its connection does not enforce foreign keys, then the call is rejected", () =>
      inShop(async ({ db, petId, petstore, within }) => {
        db.exec("PRAGMA foreign_keys = OFF")
        await within(({ transaction }) =>
          rejectsTypeError(petstore.orders.place({ petId }, { transaction }), /PRAGMA foreign_keys = ON/)
        )
      })
    )

    it.effect(
      "when it has read before another connection wrote, then the call fails with StorageBusy, and a new transaction succeeds",
      () =>
        inShop(async ({ file, petId, petstore, within }) => {
          // Where it begins with the lock, the other one waits instead.
          if (name === "synchronous Drizzle") return
          const error = await within(async ({ transaction }) => {
            await petstore.pets.get(petId, { transaction })
            await petstore.orders.place({ petId })
            return rejection(petstore.orders.place({ petId }, { transaction }))
          })
          assert.match(String(error), /StorageBusy: Another connection .* begin it again/)
          await within(({ transaction }) => petstore.orders.place({ petId, quantity: 2 }, { transaction }))
          assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [1, 2])
        })
    )

    it.effect("when the disk is full, then the call fails and changes nothing", () =>
      inShop(async ({ db, file, petId, petstore, within }) => {
        db.exec("PRAGMA max_page_count = 1")
        const call = within(({ transaction }) => fill(petstore, transaction))
        assert.strictEqual(await codeOf(call), "storage_full")
        assert.isFalse(db.isTransaction)
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      })
    )

    it.effect("when the disk is full and the host application goes on, then it cannot commit", () =>
      inShop(async ({ db, file, petId, petstore, within }) => {
        db.exec("PRAGMA max_page_count = 1")
        let reason: unknown
        const committing = within(async ({ invoice, transaction }) => {
          await invoice(1)
          reason = await rejection(fill(petstore, transaction))
          db.exec("PRAGMA max_page_count = 100000")
          await invoice(2)
        })
        assert.match(String(await rejection(committing)), /FOREIGN KEY constraint failed|commit/i)
        assert.match(String(reason), /StorageFull/)
        assert.isFalse(db.isTransaction)
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      })
    )

    it.effect("when a call in it is cancelled, then it leaves nothing, and the transaction continues", () =>
      inShop(async ({ file, petId, petstore, within }) => {
        await within(async ({ invoice, transaction }) => {
          const giveUp = new AbortController()
          const slow: SqlTransaction = {
            ...transaction,
            rows: (statement, values) => {
              if (statement.includes("petstore_call")) {
                giveUp.abort(new Cancelled())
                return Promise.resolve().then(() => transaction.rows(statement, values))
              }
              return transaction.rows(statement, values)
            }
          }
          const call = petstore.orders.place({ petId }, { transaction: slow, signal: giveUp.signal })
          assert.instanceOf(await rejection(call), Cancelled)
          await invoice(1)
        })
        assert.deepStrictEqual(await committed(file, petstore, petId), { ...untouched, invoices: 1 })
      })
    )
  })
}

for (const name of contracts.sqliteLibraries) {
  const open = Effect.gen(function* () {
    const db = yield* openDatabase(yield* migratedFile())
    const within = libraries[name]?.(db) ?? assert.fail()
    const inTurn = oneByOne()
    return inHostTransactions(yield* openGuest(db), (body) =>
      inTurn(() => within(({ transaction }) => body(transaction)))
    )
  })

  describe(`a petstore whose every command is a transaction of ${name}`, () => {
    const cases = engineContract({ open, afterEach: checkInvariants })
    registerContract(contracts.sampled(cases), { describe, it })
  })
}
