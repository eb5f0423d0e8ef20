import type { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import {
  type DrizzlePgTransaction,
  type DrizzleSql,
  type DrizzleSqliteTransaction,
  drizzle
} from "@petstore/adapters/drizzle"
import { type KyselyTransaction, kysely, type SqlTransaction } from "@petstore/adapters/kysely"
import { Petstore as EffectPetstore } from "@petstore/core/effect"
import { engineContract, inGroups, registerContract, verifies } from "@petstore/testing"
import type { SQL } from "drizzle-orm"
import type { NodePgDatabase } from "drizzle-orm/node-postgres"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { CamelCasePlugin, type Transaction } from "kysely"
import { expectTypeOf } from "vitest"
import { committed, openDatabase, openGuest, shop } from "../../../test/support/host.ts"
import { inHostTransactions, oneByOne } from "../../../test/support/inHostTransactions.ts"
import { openDrizzle, openKysely, openSyncDrizzle, sql, type Tables } from "../../../test/support/libraries.ts"
import { codeOf, refusedAsMisuse, rejection, untyped } from "../../../test/support/rejections.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { sqlite } from "../sqlite.ts"

/** What a body in a transaction of a library is given. */
interface Given {
  readonly transaction: SqlTransaction
  readonly invoice: (orderId: number) => unknown
}

/** Runs a body in a transaction of the library, which the library ends. */
type InLibrary = <A>(body: (given: Given) => Promise<A>) => Promise<A>

const libraries: Readonly<Record<string, (db: DatabaseSync) => InLibrary>> = {
  Kysely: (db) => (body) =>
    openKysely(db)
      .transaction()
      .execute((trx) =>
        body({
          transaction: kysely(trx),
          invoice: (orderId) => trx.insertInto("invoices").values({ order_id: orderId }).execute()
        })
      ),
  Drizzle: (db) => (body) =>
    openDrizzle(db).transaction((tx) =>
      body({
        transaction: drizzle(tx, sql),
        invoice: (orderId) => tx.run(sql`INSERT INTO invoices (order_id) VALUES (${orderId})`)
      })
    ),
  "Drizzle with answers at once": (db) => async (body) => {
    const drizzled = openSyncDrizzle(db)
    drizzled.run(sql`BEGIN IMMEDIATE`)
    try {
      const answer = await body({
        transaction: drizzle(drizzled, sql),
        invoice: (orderId) => drizzled.run(sql`INSERT INTO invoices (order_id) VALUES (${orderId})`)
      })
      drizzled.run(sql`COMMIT`)
      return answer
    } catch (error) {
      if (db.isTransaction) drizzled.run(sql`ROLLBACK`)
      throw error
    }
  }
}

const untouched = { invoices: 0, events: 4, orders: [], reserved: 0 }

class GivenUp extends Error {}

for (const [name, open] of Object.entries(libraries)) {
  const inShop = (body: (given: Shop) => Promise<void>) =>
    Effect.gen(function* () {
      const opened = yield* shop()
      yield* Effect.promise(() => body({ ...opened, within: open(opened.db) }))
      yield* verifies(opened.petstore)
    })
  type Shop = Effect.Success<ReturnType<typeof shop>> & { readonly within: InLibrary }

  describe(`given a transaction of ${name}`, () => {
    it.effect("when it commits, then its rows and those of the petstore are there", () =>
      inShop(async ({ file, petId, petstore, within }) => {
        await within(async ({ invoice, transaction }) => {
          const order = await petstore.orders.place({ petId, quantity: 2 }, { transaction, idempotencyKey: "once" })
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

    it.effect("when it rolls back, then neither is, and the stock is as before", () =>
      inShop(async ({ file, petId, petstore, within }) => {
        const call = within(async ({ invoice, transaction }) => {
          const order = await petstore.orders.place({ petId, quantity: 2, complete: true }, { transaction })
          await invoice(order.id)
          throw new GivenUp()
        })
        assert.instanceOf(await rejection(call), GivenUp)
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      })
    )

    it.effect("when calls in it are refused, then they leave nothing, and it goes on", () =>
      inShop(async ({ file, petId, petstore, within }) => {
        await within(async ({ invoice, transaction }) => {
          const { id } = await petstore.orders.place({ petId, quantity: 2 }, { transaction })
          const tooMuch = petstore.orders.place({ petId, quantity: 4 }, { transaction })
          assert.strictEqual(await codeOf(tooMuch), "insufficient_stock")
          const taken = petstore.categories.create({ name: "rabbits" }, { transaction })
          assert.strictEqual(await codeOf(taken), "category_name_taken")
          await invoice(id)
        })
        assert.deepStrictEqual(await committed(file, petstore, petId), {
          invoices: 1,
          events: 6,
          orders: [2],
          reserved: 2
        })
      })
    )

    it.effect("when several calls are made in it at the same time, then they take turns, and none oversells", () =>
      inShop(async ({ file, petId, petstore, within }) => {
        const outcomes = await within(({ transaction }) =>
          Promise.allSettled(Array.from({ length: 8 }, () => petstore.orders.place({ petId }, { transaction })))
        )
        assert.strictEqual(outcomes.filter(({ status }) => status === "fulfilled").length, 5)
        assert.strictEqual((await committed(file, petstore, petId)).reserved, 5)
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
            // The second one of a name is refused, and takes back nothing of its neighbours.
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
          yield* verifies(each)
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

    it.effect("when it is over, then a call in it is refused and changes nothing", () =>
      inShop(async ({ file, petId, petstore, within }) => {
        const over = await within(async ({ transaction }) => ({ transaction }))
        await refusedAsMisuse(petstore.orders.place({ petId }, over), /has no open transaction/)
        const used = await within(async ({ transaction }) => {
          await petstore.pets.get(petId, { transaction })
          return { transaction }
        })
        await refusedAsMisuse(petstore.orders.place({ petId }, used), /has no open transaction/)
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      })
    )

    it.effect("when SQLite has taken it back by itself, then a call in it is refused and changes nothing", () =>
      inShop(async ({ db, file, petId, petstore, within }) => {
        await within(async ({ transaction }) => {
          await petstore.orders.place({ petId }, { transaction })
          db.exec("ROLLBACK")
          await refusedAsMisuse(petstore.orders.place({ petId }, { transaction }), /has no open transaction/)
          assert.isFalse(db.isTransaction)
          db.exec("BEGIN")
        })
        assert.strictEqual(db.prepare("PRAGMA foreign_keys").get()?.foreign_keys, 1)
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      })
    )

    it.effect("when it is of another database, then the call is refused, and the transaction goes on", () =>
      Effect.gen(function* () {
        const { petId, petstore } = yield* shop()
        const other = yield* shop()
        yield* Effect.promise(() =>
          open(other.db)(async ({ invoice, transaction }) => {
            await refusedAsMisuse(petstore.orders.place({ petId }, { transaction }), /of another database/)
            await invoice(1)
            await other.petstore.orders.place({ petId: other.petId }, { transaction })
          })
        )
        const { invoices, orders } = yield* Effect.promise(() => committed(other.file, other.petstore, other.petId))
        assert.deepStrictEqual({ invoices, orders }, { invoices: 1, orders: [1] })
        yield* verifies(petstore)
      })
    )

    it.effect("when its connection does not enforce references, then the call is refused", () =>
      inShop(async ({ db, petId, petstore, within }) => {
        db.exec("PRAGMA foreign_keys = OFF")
        await within(({ transaction }) =>
          refusedAsMisuse(petstore.orders.place({ petId }, { transaction }), /PRAGMA foreign_keys = ON/)
        )
      })
    )

    it.effect("when it has read before another connection wrote, then that is busy, and beginning again helps", () =>
      inShop(async ({ file, petId, petstore, within }) => {
        // Where it begins with the lock, the other one waits instead.
        if (name === "Drizzle with answers at once") return
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

    it.effect("when it is of another copy of SQLite, then the call is refused", () =>
      inShop(async ({ petId, petstore, within }) => {
        await within(async ({ transaction }) => {
          const stranger: SqlTransaction = {
            ...transaction,
            identity: {},
            rows: (statement, values) => transaction.rows(statement.replace("sqlite_source_id()", "'3.40.0'"), values)
          }
          const call = petstore.orders.place({ petId }, { transaction: stranger })
          await refusedAsMisuse(call, /another copy of SQLite/)
        })
      })
    )

    it.effect("when the disk is full, then the call is refused and leaves nothing", () =>
      inShop(async ({ db, file, petId, petstore, within }) => {
        db.exec("PRAGMA max_page_count = 1")
        const message = "x".repeat(16_000)
        const call = within(async ({ transaction }) => {
          for (let n = 0; n < 4; n++) await petstore.messages.enqueue(message, { transaction })
        })
        assert.strictEqual(await codeOf(call), "storage_full")
        assert.isFalse(db.isTransaction)
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      })
    )

    it.effect("when a call in it is given up, then it leaves nothing, and the transaction goes on", () =>
      inShop(async ({ file, petId, petstore, within }) => {
        await within(async ({ invoice, transaction }) => {
          const giveUp = new AbortController()
          const slow: SqlTransaction = {
            ...transaction,
            rows: (statement, values) => {
              if (statement.includes("FROM petstore_orders")) {
                giveUp.abort(new GivenUp())
                return Promise.resolve().then(() => transaction.rows(statement, values))
              }
              return transaction.rows(statement, values)
            }
          }
          const call = petstore.orders.place({ petId }, { transaction: slow, signal: giveUp.signal })
          assert.instanceOf(await rejection(call), GivenUp)
          await invoice(1)
        })
        assert.deepStrictEqual(await committed(file, petstore, petId), { ...untouched, invoices: 1 })
      })
    )
  })
}

// Drizzle takes each statement apart, so each has to pass through it. Kysely passes text and values on as they are.
const sampled = ["orders", "API keys", "idempotency", "races"]
for (const name of ["Kysely", "Drizzle"]) {
  const open = Effect.gen(function* () {
    const db = yield* openDatabase(yield* temporaryFile)
    const within = libraries[name]?.(db) ?? assert.fail()
    const inTurn = oneByOne()
    return inHostTransactions(yield* openGuest(db), (body) =>
      inTurn(() => within(({ transaction }) => body(transaction)))
    )
  })

  describe(`a petstore whose every command is a transaction of ${name}`, () => {
    const cases = engineContract({ open, afterEach: verifies })
    registerContract(name === "Drizzle" ? cases : inGroups(cases, sampled), { describe, it })
  })
}

describe("given a transaction of Drizzle that waits for nothing", () => {
  it.effect("when a call is made in it, then it is done before the transaction ends", () =>
    Effect.gen(function* () {
      const { db, file, petId, petstore } = yield* shop()
      yield* Effect.promise(async () => {
        const placed = openSyncDrizzle(db).transaction((tx) => [
          petstore.orders.place({ petId, quantity: 2 }, { transaction: drizzle(tx, sql) })
        ])
        assert.isFalse(db.isTransaction)
        assert.strictEqual((await placed[0])?.quantity, 2)
        assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [2])
      })
      yield* verifies(petstore)
    })
  )
})

describe("given Kysely with plugins that rename columns", () => {
  it.effect("when a call is made in its transaction, then the plugins see nothing of it", () =>
    Effect.gen(function* () {
      const { db, petId, petstore } = yield* shop()
      yield* Effect.promise(() =>
        openKysely(db, [new CamelCasePlugin()])
          .transaction()
          .execute(async (trx) => {
            await petstore.orders.place({ petId }, { transaction: kysely(trx) })
            assert.strictEqual((await petstore.pets.get(petId, { transaction: kysely(trx) })).categoryId, 1)
          })
      )
      yield* verifies(petstore)
    })
  )

  it.effect("when calls are given a transaction and a savepoint of it at the same time, then they take turns", () =>
    Effect.gen(function* () {
      const { db, petstore } = yield* shop()
      const create = (name: string, transaction: SqlTransaction) =>
        petstore.categories.create({ name }, { transaction }).then(
          () => true,
          () => false
        )
      yield* Effect.promise(async () => {
        const trx = await openKysely(db).startTransaction().execute()
        const [whole, part] = [kysely(trx), kysely(await trx.savepoint("part").execute())]
        const calls = [create("Cats", whole), create("cats", part), create("Dogs", whole), create("dogs", part)]
        assert.deepStrictEqual(await Promise.all(calls), [true, false, true, false])
        await trx.commit().execute()
        const { items } = await petstore.categories.list()
        assert.deepStrictEqual(
          items.map(({ name }) => name),
          ["Rabbits", "Cats", "Dogs"]
        )
      })
      yield* verifies(petstore)
    })
  )

  it.effect("when the transaction is begun and ended by hand, then calls join it as well", () =>
    Effect.gen(function* () {
      const { db, file, petId, petstore } = yield* shop()
      yield* Effect.promise(async () => {
        const trx = await openKysely(db).startTransaction().execute()
        await petstore.orders.place({ petId }, { transaction: kysely(trx) })
        await trx.rollback().execute()
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      })
    })
  )
})

describe("given the petstore of Effect and a transaction of a library", () => {
  it.effect("when a body joins it inside itself, then it dies instead of waiting for itself", () =>
    Effect.gen(function* () {
      const db = yield* openDatabase(yield* temporaryFile)
      yield* Effect.gen(function* () {
        const { categories, within } = yield* EffectPetstore
        const run = Effect.runPromiseExitWith(yield* Effect.context<never>())
        const join = (transaction: SqlTransaction) => within(transaction)(categories.create({ name: "Cats" }))
        const exit = yield* Effect.promise(() =>
          openKysely(db)
            .transaction()
            .execute((trx) => run(within(kysely(trx))(join(kysely(trx)))))
        )
        assert.match(String(exit), /cannot be joined inside another transaction/)
        assert.deepStrictEqual((yield* categories.list()).items, [])
      }).pipe(Effect.provide(EffectPetstore.layer(sqlite({ database: db }))))
    })
  )
})

describe("given a body in a transaction of a library whose commands run at the same time", () => {
  const joined = <A, E>(body: (petstore: EffectPetstore["Service"]) => Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const db = yield* openDatabase(file)
      return yield* Effect.gen(function* () {
        const petstore = yield* EffectPetstore
        const within = openKysely(db)
        const answer = yield* Effect.promise(() =>
          within.transaction().execute((trx) => Effect.runPromise(petstore.within(kysely(trx))(body(petstore))))
        )
        const { items } = yield* petstore.categories.list()
        assert.isTrue((yield* petstore.verify).ok)
        return { answer, names: items.map((category) => category.name) }
      }).pipe(Effect.provide(EffectPetstore.layer(sqlite(file))))
    })

  it.effect("when some are refused, then those alone leave nothing", () =>
    Effect.gen(function* () {
      const { answer, names } = yield* joined(({ categories }) =>
        Effect.forEach(
          ["Cats", "cats", "Dogs", "dogs", "Birds"],
          (name) => Effect.isSuccess(categories.create({ name })),
          { concurrency: "unbounded" }
        )
      )
      assert.deepStrictEqual(answer, [true, false, true, false, true])
      assert.deepStrictEqual(names, ["Cats", "Dogs", "Birds"])
    })
  )

  it.effect("when the body ends before one that it began, then that one happens as a whole", () =>
    Effect.gen(function* () {
      const { answer, names } = yield* joined(({ categories }) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkDetach(categories.create({ name: "Cats" }), { startImmediately: true })
          return yield* Effect.succeed(fiber)
        })
      )
      const cats = yield* Fiber.join(answer)
      assert.deepStrictEqual(names, [cats.name])
    })
  )
})

describe("given what is no transaction of a library", () => {
  it.effect("when it is given to a bridge, then that says what it takes", () =>
    Effect.gen(function* () {
      const db = yield* openDatabase(":memory:")
      const database = openKysely(db)
      for (const none of [database, db, null, undefined, {}, "BEGIN"]) {
        assert.throws(() => kysely(untyped(none)), TypeError, /kysely takes the transaction that Kysely gives/)
      }
      for (const none of [db, null, undefined, {}, "BEGIN"]) {
        assert.throws(() => drizzle(untyped(none), sql), TypeError, /drizzle takes the transaction that Drizzle gives/)
      }
      for (const none of [undefined, null, {}, "SELECT", () => {}]) {
        assert.throws(() => drizzle(openDrizzle(db), untyped(none)), TypeError, /drizzle takes the tag sql/)
      }
    })
  )

  it.effect("when it is of another kind of database, then the call says what that answered", () =>
    Effect.gen(function* () {
      const { petId, petstore } = yield* shop()
      const answered = new Error("Query failed", { cause: new Error("function sqlite_source_id() does not exist") })
      const rows = () => Promise.reject(answered)
      const transaction: SqlTransaction = { identity: {}, rows, run: rows }
      yield* Effect.promise(() =>
        refusedAsMisuse(
          petstore.orders.place({ petId }, { transaction }),
          /answered: function sqlite_source_id\(\) does/
        )
      )
    })
  )

  it.effect("when a transaction of a library is given without its bridge, then the call says which one to use", () =>
    Effect.gen(function* () {
      const { db, petId, petstore } = yield* shop()
      yield* Effect.promise(() =>
        openKysely(db)
          .transaction()
          .execute((trx) =>
            refusedAsMisuse(petstore.orders.place({ petId }, { transaction: trx }), /kysely\(trx\) of @petstore/)
          )
      )
    })
  )

  it("then the types of the libraries fit the bridges", () => {
    expectTypeOf<Transaction<Tables>>().toExtend<KyselyTransaction>()
    expectTypeOf<Parameters<Parameters<ReturnType<typeof openDrizzle>["transaction"]>[0]>[0]>().toExtend<
      DrizzleSqliteTransaction<SQL>
    >()
    expectTypeOf<Parameters<Parameters<NodePgDatabase["transaction"]>[0]>[0]>().toExtend<DrizzlePgTransaction<SQL>>()
    expectTypeOf<typeof sql>().toExtend<DrizzleSql<SQL>>()
    assert.isFunction(sql.param)
  })
})
