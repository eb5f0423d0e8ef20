import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { withLockChecks } from "../../../../../laboratory/locks/withLockChecks.ts"
import { assertRejects } from "../../../testing/src/assertRejects.ts"
import { decorated } from "../../../testing/src/decorated.ts"
import { createStockedPet } from "../../../testing/src/testData.ts"
import { type TestPetstoreOptions, testPetstore } from "../../../testing/src/testPetstore.ts"
import { Known } from "../../kernel/Command.ts"
import type { Transaction } from "../../kernel/Transaction.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import type { Petstore } from "../../petstore/Petstore.ts"
import { Storage, type StorageAdapter } from "../../ports/Storage.ts"

const start = "2030-01-01T00:00:00.000Z"
const inFifteenMinutes = "2030-01-01T00:15:00.000Z"

/** A shop with three units of pet 1. */
const opened = async (options?: TestPetstoreOptions) => {
  const petstore = await testPetstore({ now: start, ...options })
  await createStockedPet(petstore, { onHand: 3 })
  return petstore
}

const stockOf = async ({ inventory }: Pick<Petstore, "inventory">) => {
  const { quantity, reserved } = await inventory.get(1)
  return [quantity, reserved]
}

const eventsOf = async (petstore: Petstore, orderId: number) => {
  const types: Array<string> = []
  for await (const { type } of petstore.events.all({ subject: `orders/${orderId}` })) types.push(type)
  return types
}

const requireSound = async (petstore: Petstore) => {
  const { checks } = await petstore.verify()
  assert.deepStrictEqual(
    checks.filter(({ violations }) => violations > 0),
    []
  )
}

/** A transaction in which all overdue orders are locked by others. */
const unclaiming = (tx: Transaction): Transaction =>
  new Proxy(tx, {
    get: (_, name) => {
      if (name === "claim") {
        return (query: { readonly name: string }, argument: never, limit: number) =>
          query.name === "overdueOrders" ? new Known([]) : tx.claim(query as never, argument, limit)
      }
      const value: unknown = Reflect.get(tx, name, tx)
      return typeof value === "function" ? value.bind(tx) : value
    }
  })

/** A store whose overdue orders no sweeper gets, as if others had locked them. */
const unswept = (): StorageAdapter =>
  decorated(memory(), (adapter) => ({
    ...adapter,
    layer: Layer.effect(
      Storage,
      Effect.map(Layer.build(adapter.layer), (services) => {
        const store = Context.get(services, Storage)
        return {
          ...store,
          run: (begin, command) => store.run((tx, context) => begin(unclaiming(tx), context), command)
        }
      })
    )
  }))

describe("given an order that holds its units for 15 minutes", () => {
  it("when nobody completes it, then it expires at its time, not before, and once", async () => {
    await using petstore = await opened()
    const order = await petstore.orders.place({ petId: 1, quantity: 2 }, { reserveFor: "15 minutes" })
    assert.deepStrictEqual(order, { id: 1, petId: 1, quantity: 2, complete: false, version: 1 })
    assert.deepStrictEqual(await petstore.orders.reservation(1), {
      orderId: 1,
      expiresAt: inFifteenMinutes,
      version: Date.parse(inFifteenMinutes)
    })

    await petstore.clock.advance(15 * 60_000 - 1)
    assert.deepStrictEqual(await stockOf(petstore), [3, 2])
    await petstore.clock.advance(1)
    assert.deepStrictEqual(await stockOf(petstore), [3, 0])
    await assertRejects(petstore.orders.get(1), "not_found")
    await assertRejects(petstore.orders.reservation(1), "not_found")
    await petstore.clock.advance("1 day")
    assert.deepStrictEqual(await eventsOf(petstore, 1), ["order.placed", "order.expired"])
    const { items } = await petstore.inventory.movements(1)
    assert.deepStrictEqual(items.at(-1), {
      petId: 1,
      seq: items.length,
      kind: "expired",
      deltaOnHand: 0,
      deltaReserved: -2,
      orderId: 1,
      actor: "owner",
      at: inFifteenMinutes
    })
    await requireSound(petstore)
  })

  it("when it expires, then its record ends with it, and another order may take its external id", async () => {
    await using petstore = await opened()
    await petstore.orders.place({ petId: 1 }, { reserveFor: "15 minutes" })
    await petstore.records.update("orders", 1, { externalId: "cart-17", metadata: { desk: "2" } })
    await petstore.clock.advance("15 minutes")

    await petstore.orders.place({ petId: 1 })
    await petstore.records.update("orders", 2, { externalId: "cart-17" })
    assert.strictEqual((await petstore.records.getByExternalId("orders", "cart-17")).id, 2)
    await requireSound(petstore)
  })

  it("when it is completed or cancelled before, then it does not expire", async () => {
    await using petstore = await opened()
    for (let order = 0; order < 2; order++) await petstore.orders.place({ petId: 1 }, { reserveFor: "15 minutes" })
    await petstore.orders.complete(1)
    await petstore.orders.cancel(2)
    await assertRejects(petstore.orders.reservation(1), "not_found")
    await petstore.clock.advance("1 day")
    assert.deepStrictEqual(await eventsOf(petstore, 1), ["order.placed", "order.completed"])
    assert.deepStrictEqual(await eventsOf(petstore, 2), ["order.placed", "order.cancelled"])
    await requireSound(petstore)
  })

  it("when it is extended, shortened or kept, then only the last one counts", async () => {
    await using petstore = await opened()
    for (let order = 0; order < 3; order++) await petstore.orders.place({ petId: 1 }, { reserveFor: "15 minutes" })
    await petstore.clock.advance("10 minutes")
    assert.deepStrictEqual(await petstore.orders.setReservation(1, { reserveFor: "15 minutes" }), {
      orderId: 1,
      expiresAt: "2030-01-01T00:25:00.000Z",
      version: Date.parse("2030-01-01T00:25:00.000Z")
    })
    await petstore.orders.setReservation(2, { reserveFor: 60_000 })
    await petstore.orders.removeReservation(3)
    assert.strictEqual((await petstore.orders.get(1)).version, 1)
    await petstore.clock.advance("1 minute")
    await assertRejects(petstore.orders.get(2), "not_found")
    await petstore.clock.advance("13 minutes")
    assert.strictEqual((await petstore.orders.get(1)).id, 1)
    await petstore.clock.advance("1 minute")
    await assertRejects(petstore.orders.get(1), "not_found")
    await petstore.clock.advance("365 days")
    assert.strictEqual((await petstore.orders.get(3)).id, 3)
    await requireSound(petstore)
  })

  it("when it is overdue and nothing has expired it yet, then it can be completed or extended", async () => {
    await using petstore = await opened({ storage: unswept() })
    for (let order = 0; order < 2; order++) await petstore.orders.place({ petId: 1 }, { reserveFor: "15 minutes" })
    await petstore.clock.advance("20 minutes")
    assert.deepStrictEqual((await petstore.stats()).reservations, { overdue: 2, oldestOverdue: 300, tooLong: 0 })
    await petstore.orders.complete(1)
    await petstore.orders.setReservation(2, { reserveFor: "15 minutes" })
    assert.deepStrictEqual((await petstore.stats()).reservations, { overdue: 0, oldestOverdue: 0, tooLong: 0 })
    assert.deepStrictEqual(await stockOf(petstore), [2, 1])
  })
})

describe("given reservations that a server set whose clock was two years ahead", () => {
  it("then the statistics of the others show how many, until they are set anew", async () => {
    const storage = memory()
    await using petstore = await opened({ storage })
    {
      await using ahead = await testPetstore({ storage, now: "2032-01-01T00:00:00Z" })
      for (let order = 0; order < 2; order++) await ahead.orders.place({ petId: 1 }, { reserveFor: "15 minutes" })
    }
    await petstore.orders.place({ petId: 1 }, { reserveFor: "365 days" })
    const tooLong = async () => (await petstore.stats()).reservations.tooLong
    assert.strictEqual(await tooLong(), 2)
    const { checks } = await petstore.verify()
    assert.strictEqual(checks.find(({ name }) => name === "reservations_end")?.violations, 2)
    await petstore.orders.setReservation(1, { reserveFor: "15 minutes" })
    await petstore.orders.cancel(2)
    assert.strictEqual(await tooLong(), 0)
  })
})

describe("given a store that was written wholly by a server whose clock was two years ahead", () => {
  it("then verification by the right clock reports each reservation, as the statistics do", async () => {
    const storage = memory()
    {
      await using ahead = await opened({ storage, now: "2032-01-01T00:00:00Z" })
      await ahead.orders.place({ petId: 1 }, { reserveFor: "15 minutes" })
    }
    await using petstore = await testPetstore({ storage, now: start })
    assert.strictEqual((await petstore.stats()).reservations.tooLong, 1)
    const { checks } = await petstore.verify()
    assert.deepStrictEqual(checks.find(({ name }) => name === "reservations_end")?.examples, [
      { orderId: 1, expiresAt: "2032-01-01T00:15:00.000Z" }
    ])
  })
})

describe("given units that overdue orders alone hold", () => {
  const given = async () => {
    const petstore = await opened({ storage: unswept() })
    for (let order = 0; order < 3; order++) await petstore.orders.place({ petId: 1 }, { reserveFor: "15 minutes" })
    await petstore.orders.setReservation(3, { reserveFor: "1 hour" })
    await petstore.clock.advance("20 minutes")
    return petstore
  }

  it("when somebody orders some, then they expire at once, and those that are not overdue stay", async () => {
    await using petstore = await given()
    await petstore.as({ user: "ada" }).orders.place({ petId: 1, quantity: 2 })
    assert.deepStrictEqual(await stockOf(petstore), [3, 3])
    assert.deepStrictEqual(await eventsOf(petstore, 1), ["order.placed", "order.expired"])
    assert.deepStrictEqual(await eventsOf(petstore, 2), ["order.placed", "order.expired"])
    assert.deepStrictEqual(await eventsOf(petstore, 3), ["order.placed"])
    const { items } = await petstore.inventory.movements(1)
    assert.deepStrictEqual(
      items.slice(-3).map(({ actor, kind }) => [kind, actor]),
      [
        ["expired", "owner"],
        ["expired", "owner"],
        ["reserved", "ada"]
      ]
    )
    await requireSound(petstore)
  })

  it("when a basket wants some, then they expire at once, and all of its orders are placed", async () => {
    await using petstore = await given()
    const { id } = await petstore.pets.create({ name: "Tom", categoryId: 1 })
    await petstore.orders.placeAll([{ petId: id }, { petId: 1 }, { petId: 1 }])
    assert.deepStrictEqual(await stockOf(petstore), [3, 3])
    assert.deepStrictEqual(await eventsOf(petstore, 1), ["order.placed", "order.expired"])
    assert.deepStrictEqual(await eventsOf(petstore, 2), ["order.placed", "order.expired"])
    await requireSound(petstore)
  })

  it("when a transaction wants some, then they expire with its end, or not at all", async () => {
    await using petstore = await given()
    const reason = new Error("The customer left")
    const failed = petstore.transaction(async (tx) => {
      await tx.orders.place({ petId: 1, quantity: 2 })
      assert.strictEqual((await tx.inventory.get(1)).reserved, 3)
      throw reason
    })
    assert.strictEqual(await failed.catch((error: unknown) => error), reason)
    assert.deepStrictEqual(await eventsOf(petstore, 1), ["order.placed"])
    await petstore.transaction((tx) => tx.as({ user: "ada" }).orders.place({ petId: 1, quantity: 2 }))
    assert.deepStrictEqual(await eventsOf(petstore, 1), ["order.placed", "order.expired"])
    assert.deepStrictEqual(await stockOf(petstore), [3, 3])
    const { items } = await petstore.inventory.movements(1)
    assert.deepStrictEqual(
      items.slice(-3).map(({ actor, kind }) => [kind, actor]),
      [
        ["expired", "owner"],
        ["expired", "owner"],
        ["reserved", "ada"]
      ]
    )
    await requireSound(petstore)
  })

  it("when somebody orders more than they hold, then the order is rejected with what is free", async () => {
    await using petstore = await given()
    const { details } = await assertRejects(petstore.orders.place({ petId: 1, quantity: 3 }), "insufficient_stock")
    assert.deepStrictEqual(details, { petId: 1, requested: 3, available: 2 })
  })

  it("when an order that is overdue itself asks for more, then the others expire, and it does not", async () => {
    await using petstore = await given()
    await petstore.orders.update(1, { quantity: 2 })
    assert.deepStrictEqual(await eventsOf(petstore, 1), ["order.placed", "order.updated"])
    assert.deepStrictEqual(await eventsOf(petstore, 2), ["order.placed", "order.expired"])
    await requireSound(petstore)
  })
})

describe("given a store whose orders expire after 15 minutes", () => {
  const given = () => opened({ reservations: { expireAfter: "15 minutes" } })

  it("when an order begins to hold units, then it expires after that, unless it asks for another time", async () => {
    await using petstore = await given()
    await petstore.orders.place({ petId: 1 })
    await petstore.orders.place({ petId: 1 }, { reserveFor: "1 hour" })
    await petstore.orders.place({})
    await petstore.clock.advance("5 minutes")
    await assertRejects(petstore.orders.reservation(3), "not_found")
    await petstore.orders.update(3, { petId: 1 })
    const times = await Promise.all([1, 2, 3].map((id) => petstore.orders.reservation(id)))
    assert.deepStrictEqual(
      times.map(({ expiresAt }) => expiresAt),
      [inFifteenMinutes, "2030-01-01T01:00:00.000Z", "2030-01-01T00:20:00.000Z"]
    )
    await petstore.orders.place({ petId: 1, complete: true }).catch(() => {})
    await petstore.clock.advance("1 hour")
    assert.deepStrictEqual(await stockOf(petstore), [3, 0])
    await requireSound(petstore)
  })

  it("when a user who sees their own orders alone asks for more, then they get no more", async () => {
    await using petstore = await given()
    const ada = petstore.as({ user: "ada" })
    const { id } = await ada.orders.place({ petId: 1 }, { reserveFor: "1 day" })
    assert.strictEqual((await ada.orders.reservation(id)).expiresAt, inFifteenMinutes)
    await assertRejects(petstore.as({ user: "bob" }).orders.reservation(id), "not_found")
    await assertRejects(petstore.as({ user: "bob" }).orders.setReservation(id), "not_found")
    await assertRejects(petstore.as({ user: "bob" }).orders.removeReservation(id), "not_found")
    assert.strictEqual(
      (await ada.orders.setReservation(id, { reserveFor: "5 minutes" })).expiresAt,
      "2030-01-01T00:05:00.000Z"
    )
    assert.strictEqual((await petstore.orders.setReservation(id)).expiresAt, inFifteenMinutes)
  })
})

describe("given a time that is none", () => {
  it("when it is the option of a store or a call, then a TypeError says what it takes", async () => {
    for (const expireAfter of ["soon", -1, 0, "366 days"]) {
      const options = { reservations: { expireAfter } } as TestPetstoreOptions
      await testPetstore(options).then(
        () => assert.fail("it opens"),
        (error: unknown) =>
          assert.match(String(error), /TypeError: The option expireAfter takes a duration of up to 365 days/)
      )
    }
    await using petstore = await opened()
    const reserveFor = JSON.parse('"soon"')
    await petstore.orders.place({ petId: 1 }, { reserveFor }).then(
      () => assert.fail("it is placed"),
      (error: unknown) => assert.match(String(error), /TypeError: The option reserveFor takes a duration/)
    )
  })
})

describe("given a key of a success, and a server without a time for reservations", () => {
  it("when the call is repeated there, then it returns the same result, although a first call would be rejected", async () => {
    const storage = memory()
    await using timed = await opened({ storage, reservations: { expireAfter: "15 minutes" } })
    await using petstore = await testPetstore({ storage, now: start })
    const order = await timed.orders.place({ petId: 1 }, { idempotencyKey: "place" })
    const reservation = await timed.orders.setReservation(order.id, { idempotencyKey: "set" })

    await assertRejects(petstore.orders.setReservation(order.id), "validation_failed")
    await assertRejects(petstore.orders.setReservation(order.id, { idempotencyKey: "place" }), "idempotency_key_reused")
    assert.deepStrictEqual(await petstore.orders.setReservation(order.id, { idempotencyKey: "set" }), reservation)
    assert.deepStrictEqual(await petstore.orders.place({ petId: 1 }, { idempotencyKey: "place" }), order)
  })
})

describe("given overdue orders whose pets have descending ids", () => {
  it("when they expire, then their pets are locked in ascending order", async () => {
    await using petstore = await opened({ storage: withLockChecks(memory()) })
    await createStockedPet(petstore, { onHand: 3 })
    for (const petId of [2, 1]) await petstore.orders.place({ petId }, { reserveFor: "15 minutes" })
    await petstore.clock.advance("15 minutes")
    assert.deepStrictEqual((await petstore.orders.list()).items, [])
    await requireSound(petstore)
  })
})
