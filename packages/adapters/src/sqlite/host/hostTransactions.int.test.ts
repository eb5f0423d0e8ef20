import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore, memory, type Petstore } from "@petstore/core"
import { Petstore as EffectPetstore } from "@petstore/core/effect"
import { verifies } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { committed, openDatabase, openGuest, shop } from "../../../test/support/host.ts"
import { codeOf, refusedAsMisuse, rejection, untyped } from "../../../test/support/rejections.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { sqlite } from "../sqlite.ts"

interface Shop {
  readonly file: string
  readonly db: DatabaseSync
  readonly petstore: Petstore
  readonly petId: number
}

const inShop = (body: (shop: Shop) => Promise<void>, options?: { readonly lockTimeout?: number }) =>
  Effect.gen(function* () {
    const opened = yield* shop(options)
    yield* Effect.promise(() => body(opened))
    if (opened.db.isOpen && opened.db.isTransaction) opened.db.exec("ROLLBACK")
    yield* verifies(opened.petstore)
  })

const invoice = ({ db }: Shop, orderId: number) => db.prepare("INSERT INTO invoices (order_id) VALUES (?)").run(orderId)

const untouched = { invoices: 0, events: 4, orders: [], reserved: 0 }

/** After an order of two units, and its invoice. */
const twoSold = { invoices: 1, events: 6, orders: [2], reserved: 2 }

describe("given a host that has a transaction open", () => {
  it.effect("when it commits, then its rows and those of the petstore are there", () =>
    inShop(async (given) => {
      const { db, file, petId, petstore } = given
      db.exec("BEGIN IMMEDIATE")
      const order = await petstore.orders.place({ petId, quantity: 2 }, { transaction: db })
      invoice(given, order.id)
      assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      db.exec("COMMIT")
      assert.deepStrictEqual(await committed(file, petstore, petId), twoSold)
    })
  )

  it.effect("when it rolls back, then neither is, and the stock is as before", () =>
    inShop(async (given) => {
      const { db, file, petId, petstore } = given
      db.exec("BEGIN IMMEDIATE")
      const order = await petstore.orders.place({ petId, quantity: 2 }, { transaction: db, idempotencyKey: "once" })
      invoice(given, order.id)
      await petstore.orders.complete(order.id, { transaction: db })
      await petstore.messages.enqueue("Flopsy is on its way", { transaction: db })
      db.exec("ROLLBACK")
      assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      assert.strictEqual((await petstore.inventory.get(petId)).quantity, 5)
      assert.deepStrictEqual((await petstore.messages.list()).items, [])
    })
  )

  it.effect("when a call reads, then it sees the transaction, and others do not", () =>
    inShop(async ({ db, petId, petstore }) => {
      db.exec("BEGIN IMMEDIATE")
      const transaction = db
      const { id } = await petstore.orders.place({ petId }, { transaction })
      assert.strictEqual((await petstore.orders.get(id, { transaction })).petId, petId)
      assert.strictEqual((await petstore.pets.getWithInventory(petId, { transaction })).inventory.reserved, 1)
      for await (const order of petstore.orders.all({}, { transaction })) assert.strictEqual(order.id, id)
      assert.strictEqual((await petstore.orders.list({}, { transaction })).items.length, 1)
      assert.strictEqual(await codeOf(petstore.orders.get(id)), "not_found")
      assert.strictEqual((await petstore.inventory.get(petId)).reserved, 0)
      db.exec("ROLLBACK")
    })
  )

  it.effect("when a call is refused, then it leaves nothing, and the transaction goes on", () =>
    inShop(async (given) => {
      const { db, file, petId, petstore } = given
      db.exec("BEGIN IMMEDIATE")
      const order = await petstore.orders.place({ petId, quantity: 2 }, { transaction: db })
      assert.strictEqual(
        await codeOf(petstore.orders.place({ petId, quantity: 4 }, { transaction: db })),
        "insufficient_stock"
      )
      assert.strictEqual(await codeOf(petstore.pets.get(0, { transaction: db })), "validation_failed")
      invoice(given, order.id)
      db.exec("COMMIT")
      assert.deepStrictEqual(await committed(file, petstore, petId), twoSold)
    })
  )

  it.effect("when several calls are made at the same time, then each is done or refused, and none oversells", () =>
    inShop(async ({ db, file, petId, petstore }) => {
      db.exec("BEGIN IMMEDIATE")
      const calls = Array.from({ length: 8 }, () => petstore.orders.place({ petId }, { transaction: db }))
      const results = await Promise.allSettled(calls)
      assert.strictEqual(results.filter(({ status }) => status === "fulfilled").length, 5)
      db.exec("COMMIT")
      assert.strictEqual((await committed(file, petstore, petId)).reserved, 5)
    })
  )

  it.effect("when a call is made, then it is done before the host goes on, awaited or not", () =>
    inShop(async ({ db, petId, petstore }) => {
      db.exec("BEGIN IMMEDIATE")
      const placed = petstore.orders.place({ petId }, { transaction: db })
      assert.strictEqual(db.prepare("SELECT count(*) AS n FROM petstore_orders").get()?.n, 1)
      db.exec("COMMIT")
      assert.strictEqual((await petstore.orders.get((await placed).id)).petId, petId)
    })
  )

  it.effect("when it is a savepoint of the host that is taken back, then so is what was called in it", () =>
    inShop(async ({ db, file, petId, petstore }) => {
      db.exec("BEGIN IMMEDIATE; SAVEPOINT petstore_part")
      await petstore.orders.place({ petId }, { transaction: db })
      db.exec("ROLLBACK TO petstore_part")
      await petstore.orders.place({ petId, quantity: 3 }, { transaction: db })
      db.exec("COMMIT")
      assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [3])
    })
  )

  it.effect("when an idempotency key was used in it, then the key is used once it commits, and not before", () =>
    inShop(async ({ db, petId, petstore }) => {
      const place = (transaction?: DatabaseSync) =>
        petstore.orders.place({ petId, quantity: 1 }, { transaction, idempotencyKey: "k" })
      db.exec("BEGIN IMMEDIATE")
      const provisional = await place(db)
      assert.deepStrictEqual(await place(db), provisional)
      db.exec("ROLLBACK; BEGIN IMMEDIATE")
      const order = await place(db)
      db.exec("COMMIT")
      assert.deepStrictEqual(await place(), order)
      assert.strictEqual((await petstore.orders.list()).items.length, 1)
    })
  )

  it.effect("when an API key is made in it and taken back, then nobody remembers it", () =>
    inShop(async ({ db, petstore }) => {
      const { id: accountId } = await petstore.accounts.create({ name: "Shop" })
      db.exec("BEGIN IMMEDIATE")
      const key = await petstore.apiKeys.create({ accountId, name: "Till", preset: "read" }, { transaction: db })
      assert.strictEqual((await petstore.apiKeys.get(key.id, { transaction: db })).name, "Till")
      assert.strictEqual(await codeOf(petstore.apiKeys.get(key.id)), "not_found")
      db.exec("ROLLBACK")
      assert.strictEqual(await codeOf(petstore.apiKeys.get(key.id)), "not_found")
    })
  )

  it.effect("when it rolls back and the next one commits, then subscribers hear of what was committed alone", () =>
    inShop(async ({ db, petId, petstore }) => {
      const heard: Array<unknown> = []
      const { promise, resolve } = Promise.withResolvers<void>()
      const subscription = await petstore.events.subscribe(({ data, type }) => {
        if (type === "order.placed") heard.push(data.quantity)
        if (type === "order.cancelled") resolve()
      })
      for (const end of ["ROLLBACK", "COMMIT"]) {
        db.exec("BEGIN IMMEDIATE")
        const quantity = end === "COMMIT" ? 2 : 3
        const { id } = await petstore.orders.place({ petId, quantity }, { transaction: db })
        await petstore.orders.cancel(id, { transaction: db })
        db.exec(end)
      }
      await promise
      subscription.close()
      assert.deepStrictEqual(heard, [2])
    })
  )

  it.effect("when its connection was closed and opened again, then calls go on as before", () =>
    inShop(async ({ db, petId, petstore }) => {
      for (let n = 0; n < 2; n++) {
        db.exec("BEGIN IMMEDIATE")
        await petstore.orders.place({ petId }, { transaction: db })
        db.exec("COMMIT")
        db.close()
        db.open()
      }
      assert.strictEqual((await petstore.inventory.get(petId)).reserved, 2)
    })
  )

  it.effect("when the host chose big integers and rows as lists for itself, then the petstore reads as ever", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const db = yield* openDatabase(file, { readBigInts: true, returnArrays: true })
      const petstore = yield* openGuest(db)
      yield* Effect.promise(async () => {
        db.exec("BEGIN IMMEDIATE")
        const cats = await petstore.categories.create({ name: "Cats" }, { transaction: db })
        assert.deepStrictEqual(cats, { id: 1, name: "Cats", version: 1 })
        db.exec("COMMIT")
        assert.deepStrictEqual(await petstore.categories.get(1), cats)
      })
    })
  )
})

describe("given calls of the engine's own while the host has a transaction open", () => {
  it.effect("when the host commits, then they are done after it, on the stock that it left", () =>
    inShop(async (given) => {
      const { db, file, petId, petstore } = given
      db.exec("BEGIN IMMEDIATE")
      await petstore.orders.place({ petId, quantity: 4 }, { transaction: db })
      const others = [petstore.orders.place({ petId }), petstore.orders.place({ petId })]
      await new Promise((resolve) => setTimeout(resolve, 20))
      assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      invoice(given, 1)
      db.exec("COMMIT")
      const outcomes = await Promise.allSettled(others)
      assert.deepStrictEqual(
        outcomes.map(({ status }) => status),
        ["fulfilled", "rejected"]
      )
      assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [4, 1])
    })
  )

  it.effect("when the host rolls back, then what they did stays", () =>
    inShop(async ({ db, file, petId, petstore }) => {
      db.exec("BEGIN IMMEDIATE")
      await petstore.orders.place({ petId, quantity: 4 }, { transaction: db })
      const other = petstore.orders.place({ petId, quantity: 3 })
      db.exec("ROLLBACK")
      await other
      assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [3])
    })
  )

  it.effect("when the host never ends it, then they are told so", () =>
    inShop(
      async ({ db, petId, petstore }) => {
        db.exec("BEGIN IMMEDIATE")
        const error = await rejection(petstore.orders.place({ petId }))
        assert.match(String(error), /StorageBusy: .* the host has a transaction open .* as \{ transaction \}/)
        db.exec("ROLLBACK")
        await petstore.orders.place({ petId })
      },
      { lockTimeout: 50 }
    )
  )
})

describe("given a transaction that cannot be joined", () => {
  it.effect("when none is open, or it is over, or its connection is closed, then the call is refused", () =>
    inShop(async ({ db, file, petId, petstore }) => {
      const place = () => petstore.orders.place({ petId }, { transaction: db })
      await refusedAsMisuse(place(), /has no open transaction.*BEGIN IMMEDIATE/)
      db.exec("BEGIN IMMEDIATE; COMMIT")
      await refusedAsMisuse(place(), /has no open transaction/)
      assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      db.close()
      await refusedAsMisuse(place(), /has no open transaction/)
    })
  )

  it.effect("when it is of another database, then the call is refused and both files are named", () =>
    Effect.gen(function* () {
      const { db, file, petId, petstore } = yield* shop()
      const other = yield* shop()
      const inMemory = yield* openDatabase(":memory:")
      yield* Effect.promise(async () => {
        for (const stranger of [other.db, inMemory]) {
          stranger.exec("BEGIN IMMEDIATE")
          await refusedAsMisuse(petstore.orders.place({ petId }, { transaction: stranger }), /of another database/)
        }
        const error = await rejection(petstore.orders.place({ petId }, { transaction: other.db }))
        assert.include(String(error), file)
        assert.include(String(error), other.file)
        db.exec("BEGIN IMMEDIATE")
        await petstore.orders.place({ petId }, { transaction: db })
      })
    })
  )

  it.effect("when it is of the same file under another name, then it is joined", () =>
    Effect.gen(function* () {
      const { file, petId, petstore } = yield* shop()
      const db = yield* openDatabase(`${file.replace("/petstore.db", "")}/./petstore.db`)
      db.exec("BEGIN IMMEDIATE")
      yield* Effect.promise(() => petstore.orders.place({ petId }, { transaction: db }))
      db.exec("COMMIT")
      yield* verifies(petstore)
    })
  )

  it.effect("when its connection can only read, then reading goes and writing is refused", () =>
    Effect.gen(function* () {
      const { file, petId, petstore } = yield* shop()
      const db = yield* openDatabase(file, { readOnly: true })
      db.exec("BEGIN")
      yield* Effect.promise(async () => {
        assert.strictEqual((await petstore.pets.get(petId, { transaction: db })).name, "Flopsy")
        const error = await rejection(petstore.orders.place({ petId }, { transaction: db }))
        assert.match(String(error), /InternalError: The host's connection can only read/)
      })
    })
  )

  it.effect("when its connection does not enforce references, then the call is refused", () =>
    inShop(async ({ db, petId, petstore }) => {
      db.exec("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
      await refusedAsMisuse(petstore.orders.place({ petId }, { transaction: db }), /PRAGMA foreign_keys = ON/)
      db.exec("ROLLBACK; PRAGMA foreign_keys = ON; BEGIN IMMEDIATE")
      await petstore.orders.place({ petId }, { transaction: db })
    })
  )

  it.effect("when it is of another copy of SQLite, then the call is refused", () =>
    inShop(async ({ db, petId, petstore }) => {
      db.exec("BEGIN IMMEDIATE")
      const stranger = {
        isOpen: true,
        isTransaction: true,
        prepare: (sql: string) => db.prepare(sql.replace("sqlite_source_id()", "'3.40.0'"))
      }
      await refusedAsMisuse(petstore.orders.place({ petId }, { transaction: stranger }), /another copy of SQLite/)
    })
  )

  it.effect("when it is none at all, then the call is refused with what to give", () =>
    inShop(async ({ petId, petstore }) => {
      for (const none of [{}, [], () => {}, null, "BEGIN", 5, true]) {
        await refusedAsMisuse(petstore.orders.place({ petId }, { transaction: untyped(none) }), /Give a DatabaseSync/)
      }
      await petstore.orders.place({ petId }, { transaction: undefined })
    })
  )

  it.effect("when it is given to what sees what is committed alone, then that refuses it", () =>
    inShop(async ({ db, file, petstore }) => {
      const options = untyped({ transaction: db })
      await refusedAsMisuse(petstore.verify(options), /not take the option transaction/)
      await refusedAsMisuse(petstore.backup(`${file}.copy`, options), /not take the option transaction/)
      await refusedAsMisuse(petstore.events.list({}, options), /not take the option transaction/)
    })
  )

  it.effect("when the petstore is closed, then the call is refused as ever", () =>
    Effect.gen(function* () {
      const { db, petId, petstore } = yield* shop()
      db.exec("BEGIN IMMEDIATE")
      yield* Effect.promise(async () => {
        await petstore.close()
        assert.strictEqual(await codeOf(petstore.orders.place({ petId }, { transaction: db })), "shutting_down")
      })
    })
  )
})

describe("given a storage without transactions of a host", () => {
  it("when a call is given one, then it is refused with what to do", async () => {
    await using petstore = await createPetstore({ storage: memory() })
    await refusedAsMisuse(petstore.orders.place({}, { transaction: {} }), /has no transactions of a host/)
    await refusedAsMisuse(petstore.orders.place({}, { transaction: untyped(null) }), /has no transactions of a host/)
  })
})

describe("given a host's transaction that cannot write", () => {
  it.effect("when it has read before another connection wrote, then that is busy, and beginning again helps", () =>
    inShop(async ({ db, petId, petstore }) => {
      db.exec("BEGIN")
      db.prepare("SELECT count(*) FROM invoices").get()
      await petstore.orders.place({ petId })
      const error = await rejection(petstore.orders.place({ petId }, { transaction: db }))
      assert.match(String(error), /StorageBusy: Another connection .* BEGIN IMMEDIATE/)
      db.exec("ROLLBACK; BEGIN IMMEDIATE")
      await petstore.orders.place({ petId }, { transaction: db })
      db.exec("COMMIT")
    })
  )

  it.effect("when another connection holds the lock, then that is busy, and the transaction goes on", () =>
    Effect.gen(function* () {
      const { db, file, petId, petstore } = yield* shop()
      const other = yield* openDatabase(file)
      yield* Effect.promise(async () => {
        db.exec("BEGIN")
        other.exec("BEGIN IMMEDIATE")
        assert.strictEqual(await codeOf(petstore.orders.place({ petId }, { transaction: db })), "storage_busy")
        other.exec("ROLLBACK")
        await petstore.orders.place({ petId }, { transaction: db })
        db.exec("COMMIT")
        assert.strictEqual((await petstore.inventory.get(petId)).reserved, 1)
      })
    })
  )

  it.effect("when the disk is full, then SQLite takes all of it back, and the host is told so", () =>
    inShop(async (given) => {
      const { db, file, petId, petstore } = given
      db.exec("PRAGMA max_page_count = 1; BEGIN IMMEDIATE")
      const message = "x".repeat(16_000)
      const error = await rejection(
        Promise.all([1, 2, 3, 4].map(() => petstore.messages.enqueue(message, { transaction: db })))
      )
      assert.match(String(error), /StorageFull: .* rolled back the host's whole transaction/)
      assert.isFalse(db.isTransaction)
      await refusedAsMisuse(petstore.orders.place({ petId }, { transaction: db }), /has no open transaction/)
      assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
    })
  )
})

describe("given the petstore of Effect", () => {
  it.effect("when commands run within a transaction of the host, then all of them do or none", () =>
    Effect.gen(function* () {
      const db = yield* openDatabase(yield* temporaryFile)
      yield* Effect.gen(function* () {
        const { categories, pets, within } = yield* EffectPetstore
        const both = (name: string) =>
          Effect.gen(function* () {
            const { id: categoryId } = yield* categories.create({ name })
            return yield* pets.create({ name: name === "Cats" ? "Tom" : "", categoryId })
          })
        db.exec("BEGIN IMMEDIATE")
        yield* within(db)(both("Cats"))
        const error = yield* Effect.flip(within(db)(both("Dogs")))
        assert.strictEqual(error._tag, "ValidationFailed")
        assert.deepStrictEqual((yield* categories.list()).items, [])
        db.exec("COMMIT")
        assert.deepStrictEqual((yield* categories.list()).items, [{ id: 1, name: "Cats" }])
      }).pipe(Effect.provide(EffectPetstore.layer(sqlite({ database: db }))))
    })
  )

  it.effect("when a body waits for something else, then it dies, and nothing of it is left", () =>
    Effect.gen(function* () {
      const db = yield* openDatabase(yield* temporaryFile)
      yield* Effect.gen(function* () {
        const { categories, within } = yield* EffectPetstore
        db.exec("BEGIN IMMEDIATE")
        const waiting = Effect.andThen(categories.create({ name: "Cats" }), Effect.never)
        assert.match(String(yield* Effect.exit(within(db)(waiting))), /waited for something other than its store/)
        db.exec("COMMIT")
        assert.deepStrictEqual((yield* categories.list()).items, [])
      }).pipe(Effect.provide(EffectPetstore.layer(sqlite({ database: db }))))
    })
  )

  it.effect("when one is joined inside another transaction, then it dies", () =>
    Effect.gen(function* () {
      const db = yield* openDatabase(yield* temporaryFile)
      yield* Effect.gen(function* () {
        const { categories, transaction, within } = yield* EffectPetstore
        const join = within(db)(categories.create({ name: "Cats" }))
        db.exec("BEGIN IMMEDIATE")
        assert.match(String(yield* Effect.exit(within(db)(join))), /cannot be joined inside another transaction/)
        db.exec("ROLLBACK")
        assert.match(String(yield* Effect.exit(transaction(join))), /cannot be joined inside another transaction/)
        assert.deepStrictEqual((yield* categories.list()).items, [])
      }).pipe(Effect.provide(EffectPetstore.layer(sqlite({ database: db }))))
    })
  )
})

describe("given the database of a host to open a petstore in", () => {
  it("when it is in memory, temporary, closed or none, then it is refused with what to do", () => {
    for (const [file, message] of [
      [":memory:", /in memory or temporary.*Use a file, or memory\(\)/],
      ["", /in memory or temporary/]
    ] as const) {
      const database = new DatabaseSync(file)
      assert.throws(() => sqlite({ database }), TypeError, message)
      database.close()
      assert.throws(() => sqlite({ database }), TypeError, /is closed/)
    }
    for (const database of [{}, null, "petstore.db", 5]) {
      assert.throws(() => sqlite({ database: untyped(database) }), TypeError, /takes a DatabaseSync/)
    }
    assert.throws(() => sqlite(untyped({ database: {}, file: "petstore.db" })), TypeError, /file or database, not both/)
  })

  for (const [what, begin] of [
    ["writes in a transaction", "BEGIN IMMEDIATE"],
    ["keeps it for itself", "PRAGMA locking_mode = EXCLUSIVE; INSERT INTO invoices VALUES (1)"]
  ] as const) {
    it.effect(`when it ${what}, then opening says what is in the way, and goes on once that has ended`, () =>
      Effect.gen(function* () {
        const database = yield* openDatabase(yield* temporaryFile)
        database.exec(`CREATE TABLE invoices (id INTEGER); ${begin}`)
        const open = () => createPetstore({ storage: sqlite({ database, lockTimeout: 20 }) })
        const error = yield* Effect.promise(() => rejection(open()))
        assert.match(
          String(error),
          /StorageBusy: The file cannot be opened now: .* EXCLUSIVE.* transaction of the host/
        )
        if (database.isTransaction) database.exec("COMMIT")
        database.exec("PRAGMA locking_mode = NORMAL; DELETE FROM invoices")
        yield* Effect.promise(async () => (await open()).close())
      })
    )
  }

  it.effect("when it was never migrated and may not be, then it is refused with what to do", () =>
    Effect.gen(function* () {
      const database = yield* openDatabase(yield* temporaryFile)
      database.exec("CREATE TABLE invoices (id INTEGER PRIMARY KEY)")
      const storage = sqlite({ database, migrate: false })
      const error = yield* Effect.promise(() => rejection(createPetstore({ storage })))
      assert.match(String(error), /lacks (\d+) of \1 migrations. Run "petstore migrate"/)
    })
  )

  it.effect("then the marks and tables of the host stay its own", () =>
    Effect.gen(function* () {
      const database = yield* openDatabase(yield* temporaryFile)
      database.exec("PRAGMA user_version = 7; CREATE TABLE invoices (id INTEGER PRIMARY KEY)")
      const petstore = yield* openGuest(database)
      yield* verifies(petstore)
      assert.strictEqual(database.prepare("PRAGMA user_version").get()?.user_version, 7)
      assert.strictEqual(database.prepare("PRAGMA application_id").get()?.application_id, 0)
    })
  )
})
