import { InsufficientStock, NotFound, type Petstore, ValidationFailed } from "@petstore/core"
import { assertInvariants, assertRejects, createStockedPet, testPetstore } from "@petstore/testing"
import { assert, describe, it } from "vitest"
import { checkout, currentCart, linesOf, setLine } from "./carts.ts"
import { type Customer, customerOf, register, sessionOf, signIn, userOf } from "./customers.ts"
import { type Database, databaseInMemory } from "./database.ts"

/** Ada and Bob in a shop in memory. */
const openShop = async (petstore: Petstore) => {
  const database = databaseInMemory(petstore)
  const [ada, bob] = [await register(database, "Ada", "secret"), await register(database, "Bob", "hidden")]
  if (ada === undefined || bob === undefined) throw new Error("Both are new")
  return { database, ada, bob }
}

/** Fills the cart of a customer, and returns it. */
const fill = async (database: Database, customer: Customer, ...lines: ReadonlyArray<readonly [number, number]>) => {
  for (const [petId, quantity] of lines) await setLine(database, customer, petId, quantity)
  return currentCart(database.db, customer) ?? 0
}

describe("sessions", () => {
  it("given a customer, then the session is theirs until it ends, and nobody can make one", async () => {
    await using petstore = await testPetstore()
    const { ada, bob, database } = await openShop(petstore)
    assert.deepStrictEqual(await signIn(database, "Ada", "secret"), ada)
    assert.isUndefined(await signIn(database, "Ada", "hidden"))
    assert.isUndefined(await signIn(database, "Eve", "secret"))
    for (const name of ["", " ", "A".repeat(101)]) assert.isUndefined(await register(database, name, "secret"))
    assert.isUndefined(await register(database, "Eve", "A".repeat(201)))
    assert.isUndefined(await register(database, "Ada", "another"))

    const session = sessionOf(ada, "key")
    const visitor = (cookies: string, secret = "key") => customerOf(database.db, cookies, secret)
    assert.deepStrictEqual(visitor(`theme=dark; session=${session}`), ada)
    assert.isUndefined(visitor(`session=${session}`, "another key"))
    assert.isUndefined(visitor(`session=${session.replace(/^\d+/, String(bob.id))}`))
    assert.isUndefined(visitor(`session=${sessionOf(ada, "key", Date.now() - 1)}`))
    assert.isUndefined(visitor(""))
  })
})

describe("the checkout", () => {
  it("given a cart, when it is submitted twice at once, then it is ordered once", async () => {
    await using petstore = await testPetstore()
    const { ada, bob, database } = await openShop(petstore)
    const [flopsy, mopsy] = [
      await createStockedPet(petstore, { onHand: 5 }),
      await createStockedPet(petstore, { onHand: 5 })
    ]
    const cartId = await fill(database, ada, [flopsy.id, 2], [mopsy.id, 9], [mopsy.id, 1])

    const [first, again] = await Promise.all([checkout(database, ada, cartId), checkout(database, ada, cartId)])
    assert.deepStrictEqual(first, again)
    assert.deepStrictEqual(
      first.map(({ petId, quantity }) => [petId, quantity]),
      [
        [flopsy.id, 2],
        [mopsy.id, 1]
      ]
    )
    assert.lengthOf((await petstore.as(userOf(ada)).orders.list()).items, 2)
    assert.lengthOf((await petstore.as(userOf(bob)).orders.list()).items, 0)
    assert.deepStrictEqual(await checkout(database, ada, cartId), first)
    assert.isUndefined(currentCart(database.db, ada))
    assert.notStrictEqual(await fill(database, ada, [flopsy.id, 1]), cartId)
    await assertInvariants(petstore)
  })

  it("given one pet that is sold out, then nothing is ordered and the cart stays", async () => {
    await using petstore = await testPetstore()
    const { ada, database } = await openShop(petstore)
    const [flopsy, mopsy] = [await createStockedPet(petstore), await createStockedPet(petstore)]
    const cartId = await fill(database, ada, [flopsy.id, 1], [mopsy.id, 2])

    const { details } = await assertRejects(checkout(database, ada, cartId), InsufficientStock)
    assert.deepInclude(details, { petId: mopsy.id, index: 1 })
    assert.lengthOf((await petstore.orders.list()).items, 0)
    assert.strictEqual(currentCart(database.db, ada), cartId)
    assert.lengthOf(linesOf(database.db, ada, cartId), 2)
  })

  it("given a table of the shop that rejects its row, then nothing is ordered", async () => {
    await using petstore = await testPetstore()
    const { ada, database } = await openShop(petstore)
    const { id } = await createStockedPet(petstore)
    const cartId = await fill(database, ada, [id, 1])
    database.db.exec("CREATE TRIGGER refuse BEFORE DELETE ON carts BEGIN SELECT RAISE(ABORT, 'no more carts'); END")
    await assertRejects(checkout(database, ada, cartId), Error)
    assert.lengthOf((await petstore.orders.list()).items, 0)
  })

  it("given the cart of somebody else, or an empty one, then nothing is ordered", async () => {
    await using petstore = await testPetstore()
    const { ada, bob, database } = await openShop(petstore)
    const { id } = await createStockedPet(petstore)
    const cartId = await fill(database, ada, [id, 1])
    await assertRejects(checkout(database, bob, cartId), ValidationFailed)
    await setLine(database, ada, id, 0)
    await assertRejects(checkout(database, ada, cartId), ValidationFailed)
    assert.lengthOf((await petstore.orders.list()).items, 0)
  })

  it("given an order that is not paid for 15 minutes, then its pet is for sale again", async () => {
    await using petstore = await testPetstore()
    const { ada, bob, database } = await openShop(petstore)
    const { id } = await createStockedPet(petstore)
    const [order] = await checkout(database, ada, await fill(database, ada, [id, 1]))

    await petstore.clock.advance("14 minutes")
    await assertRejects(checkout(database, bob, await fill(database, bob, [id, 1])), InsufficientStock)
    await petstore.clock.advance("1 minute")
    await assertRejects(petstore.as(userOf(ada)).orders.complete(order?.id ?? 0), NotFound)
    assert.lengthOf(await checkout(database, bob, currentCart(database.db, bob) ?? 0), 1)
    await assertInvariants(petstore)
  })
})
