import type { Petstore, PetstoreTransaction } from "@petstore/core"
import { assertInvariants } from "../assertInvariants.ts"
import { assertEqual } from "../check.ts"
import { untyped } from "../untyped.ts"
import { petstoreCases } from "./cases.ts"
import { category, orderOf, petOf, unknown } from "./given.ts"
import { allIds, assertUnchanged, collect, stockOf, typesOf } from "./inspect.ts"
import { assertOneIsBusy, atOnce, elsewhere } from "./inTransactions.ts"
import { assertTypeError, reasonOf, rejectsAs, rejectsWith } from "./rejections.ts"

const orderIds = ({ orders }: Pick<Petstore, "orders">) => allIds(orders.all())

const typesAfter = async ({ events }: Petstore, after: number) => typesOf(await collect(events.all({ after })))

/** `petstore.transaction`. */
export const transactionCases = petstoreCases<Petstore>("transactions", {
  "a transaction sees what it has written, and nobody else does before its end": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const first = await orderOf(petstore, petId)
    let placedId = 0
    const looked = elsewhere(async () => {
      await rejectsWith("not_found", petstore.orders.get(placedId))
      return stockOf(petstore, petId)
    })
    const [placed, updated] = await petstore.transaction(async (tx) => {
      const order = await tx.orders.place({ petId, quantity: 2 })
      placedId = order.id
      assertEqual(await tx.orders.get(order.id), order)
      assertEqual((await tx.inventory.get(petId)).reserved, 3)
      const changed = await tx.orders.update(order.id, { quantity: 3 })
      assertEqual(await orderIds(tx), [first, order.id])
      assertEqual((await tx.pets.list({ id: [petId] })).items.length, 1)
      assertEqual((await looked()).reserved, 1)
      return [order, changed] as const
    })
    assertEqual(updated, { ...placed, quantity: 3, version: 2 })
    assertEqual(await petstore.orders.get(placed.id), updated)
    assertEqual((await stockOf(petstore, petId)).reserved, 4)
  },
  "what a transaction creates is found by all of its lists and methods": async (petstore) => {
    await petstore.transaction(async (tx) => {
      const { id: categoryId } = await tx.categories.create({ name: "Dogs" })
      const rex = await tx.pets.create({ name: "Rex", categoryId })
      await tx.inventory.set(rex.id, 5)
      assertEqual(await allIds(tx.pets.all({ categoryId })), [rex.id])
      assertEqual(await allIds(tx.pets.all({ name: "Re" })), [rex.id])
      assertEqual(await allIds(tx.pets.all({ id: [rex.id] })), [rex.id])
      assertEqual((await tx.pets.getWithInventory(rex.id)).inventory.quantity, 5)
      assertEqual(await allIds(tx.categories.all()), [categoryId])
      await rejectsWith("category_name_taken", tx.categories.create({ name: "dogs" }), { name: "dogs" })
      await rejectsWith("category_in_use", tx.categories.delete(categoryId), { categoryId })
      const order = await tx.orders.place({ petId: rex.id, quantity: 2 })
      await tx.orders.complete(order.id)
      const { id: messageId } = await tx.messages.enqueue("Rex is on the way")
      assertEqual(await allIds(tx.messages.all()), [messageId])
      const { id: accountId } = await tx.accounts.create({ name: "Acme" })
      assertEqual(await allIds(tx.accounts.all()), [accountId])
    })
    await assertInvariants(petstore)
    const [stock, ...others] = await collect(petstore.inventory.all())
    assertEqual([stock?.quantity, others], [3, []])
  },
  "calls for many, adjustments, reservations and records belong to a transaction as any other call": async (
    petstore
  ) => {
    const categoryId = await category(petstore)
    const fill = async (tx: PetstoreTransaction) => {
      const [rex, tom] = await tx.pets.createAll([
        { name: "Rex", categoryId },
        { name: "Tom", categoryId }
      ])
      const [one, other] = [Number(rex?.id), Number(tom?.id)]
      await tx.inventory.setAll([
        { petId: other, quantity: 4 },
        { petId: one, quantity: 3 }
      ])
      await tx.inventory.adjust(one, { delta: 2, reason: "received", note: "Delivery 4711" })
      const [order] = await tx.orders.placeAll([{ petId: one, quantity: 5 }, { petId: other }], { reserveFor: "1 day" })
      const orderId = Number(order?.id)
      await tx.orders.setReservation(orderId, { reserveFor: "2 days" })
      assertEqual((await tx.orders.reservation(orderId)).orderId, orderId)
      await tx.orders.removeReservation(orderId)
      await rejectsWith("not_found", tx.orders.reservation(orderId))
      const record = await tx.records.update("pets", one, { externalId: "rex-1", metadata: { shelf: "A" } })
      assertEqual(await tx.records.getByExternalId("pets", "rex-1"), record)
      const again = tx.records.update("pets", other, { externalId: "rex-1" })
      await rejectsWith("external_id_taken", again, { externalId: "rex-1" })
      await tx.records.update("orders", orderId, { externalId: "cart-1" })
      await tx.records.update("orders", orderId, { externalId: null })
      assertEqual(await collect(tx.inventory.allMovements(one)), [], "the ledger before the commit")
      return { one, orderId, record }
    }
    await reasonOf(
      petstore.transaction(async (tx) => {
        await fill(tx)
        throw new Error("No")
      })
    )
    assertEqual(await collect(petstore.pets.all()), [])
    const { one, orderId, record } = await petstore.transaction(fill)
    assertEqual(await petstore.records.getByExternalId("pets", "rex-1"), record)
    assertEqual((await petstore.records.get("orders", orderId)).externalId, undefined)
    const stock = await stockOf(petstore, one)
    assertEqual([stock.quantity, stock.reserved], [5, 5])
    assertEqual((await collect(petstore.inventory.allMovements(one))).at(-1)?.kind, "reserved")
    await petstore.transaction(async (tx) => {
      await tx.orders.cancel(orderId)
      await tx.pets.delete(one)
      await rejectsWith("not_found", tx.records.getByExternalId("pets", "rex-1"))
    })
    await rejectsWith("not_found", petstore.records.getByExternalId("pets", "rex-1"))
    await assertInvariants(petstore)
  },
  "a name or an external id that a transaction frees can be used again in it": async (petstore) => {
    const [petId, other] = [await petOf(petstore, 5), await petOf(petstore, 5)]
    const [cats, dogs] = [await category(petstore), await category(petstore)]
    const { name } = await petstore.categories.get(cats)
    const orderId = await orderOf(petstore, petId)
    await petstore.records.update("orders", orderId, { externalId: "cart-1", metadata: { desk: "2" } })
    await petstore.records.update("pets", petId, { externalId: "rex-1", metadata: { shelf: "A" } })
    const replaced = await petstore.transaction(async (tx) => {
      await tx.categories.update(cats, { name: "Tabbies" })
      await tx.categories.update(dogs, { name })
      await tx.records.update("pets", petId, { externalId: null })
      await tx.records.update("pets", other, { externalId: "rex-1" })
      await tx.orders.cancel(orderId)
      const { id } = await tx.orders.place({ petId })
      await tx.records.update("orders", id, { externalId: "cart-1" })
      return id
    })
    assertEqual((await petstore.categories.get(dogs)).name, name)
    assertEqual((await petstore.records.getByExternalId("pets", "rex-1")).id, other)
    assertEqual((await petstore.records.getByExternalId("orders", "cart-1")).id, replaced)
    await assertInvariants(petstore)
  },
  "a transaction that exchanges two names fails with the error of the name, and changes nothing": async (petstore) => {
    const [cats, dogs] = [await category(petstore), await category(petstore)]
    const [one, other] = [(await petstore.categories.get(cats)).name, (await petstore.categories.get(dogs)).name]
    const exchange = petstore.transaction(async (tx) => {
      await tx.categories.update(cats, { name: "Tabbies" })
      await tx.categories.update(dogs, { name: one })
      await tx.categories.update(cats, { name: other })
    })
    await rejectsWith("category_name_taken", exchange, { name: other })
    assertEqual((await petstore.categories.get(cats)).name, one)
  },
  "the body of a transaction may wait for anything, and others go on meanwhile": async (petstore) => {
    const [petId, other] = [await petOf(petstore, 5), await petOf(petstore, 5)]
    const counted = elsewhere(() => petstore.inventory.set(other, 7))
    await petstore.transaction(async (tx) => {
      await tx.orders.place({ petId })
      await new Promise((later) => setTimeout(later, 5))
      await counted()
      await tx.orders.place({ petId })
    })
    assertEqual((await stockOf(petstore, petId)).reserved, 2)
    assertEqual((await stockOf(petstore, other)).quantity, 7)
  },
  "a transaction whose body rejects changes nothing, and rejects with the same": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const reason = new Error("The customer left")
    const before = await petstore.events.latest()
    await assertUnchanged(petstore, [petId], async () => {
      const call = petstore.transaction(async (tx) => {
        await tx.orders.place({ petId })
        await tx.messages.enqueue("Thank you")
        throw reason
      })
      await rejectsAs(reason, call)
      const twice = petstore.transaction(async (tx) => {
        for (let n = 0; n < 2; n++) await tx.orders.place({ petId, quantity: 3 })
      })
      await rejectsWith("insufficient_stock", twice, { petId, requested: 3, available: 2 })
    })
    assertEqual(await orderIds(petstore), [])
    assertEqual(await petstore.events.latest(), before)
    assertEqual((await petstore.messages.list()).items, [])
  },
  "a call that fails in a transaction leaves nothing, and the transaction goes on": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const after = await petstore.events.latest()
    await petstore.transaction(async (tx) => {
      await tx.orders.place({ petId, quantity: 2 })
      const basket = [2, 2].map((quantity) => ({ petId, quantity }))
      const numbers = { petId, requested: 2, available: 1, index: 1 }
      await rejectsWith("insufficient_stock", tx.orders.placeAll(basket), numbers)
      await rejectsWith("unknown_pet", tx.orders.place({ petId: unknown }), { petId: unknown })
      await rejectsWith("not_found", tx.orders.get(unknown))
    })
    assertEqual((await stockOf(petstore, petId)).reserved, 2)
    assertEqual(await typesAfter(petstore, after), ["order.placed", "inventory.updated"])
  },
  "a part of a transaction may fail alone": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const reason = new Error("No gift")
    await petstore.transaction(async (tx) => {
      await tx.orders.place({ petId })
      const part = tx.transaction(async (gift) => {
        await gift.orders.place({ petId, quantity: 2 })
        await gift.transaction(async (inner) => inner.orders.place({ petId, quantity: 3 }))
        throw reason
      })
      await rejectsAs(reason, part)
      assertEqual((await tx.inventory.get(petId)).reserved, 1)
      assertEqual(await tx.transaction(async (kept) => (await kept.orders.place({ petId, quantity: 2 })).quantity), 2)
    })
    assertEqual((await stockOf(petstore, petId)).reserved, 3)
  },
  "while a part of a transaction is open, the transaction takes no other calls": async (petstore) => {
    const petId = await petOf(petstore, 9)
    await petstore.transaction(async (tx) => {
      await tx.transaction(async (part) => {
        await part.orders.place({ petId })
        await assertTypeError(tx.orders.place({ petId }))
      })
      await tx.orders.place({ petId })
    })
    assertEqual((await stockOf(petstore, petId)).reserved, 2)
  },
  "a call after the end of its transaction rejects with a TypeError": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const tx = await petstore.transaction(async (open) => open)
    await assertTypeError(tx.orders.place({ petId }))
    await assertTypeError(tx.pets.get(petId))
    await assertTypeError(tx.as({ user: "ada" }).orders.list())
    await assertTypeError(tx.transaction(async () => undefined))
    await assertTypeError(petstore.orders.place({ petId }, { transaction: tx }))
    assertEqual(await orderIds(petstore), [])
  },
  "a transaction that ends before one of its calls changes nothing": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const calls: Array<Promise<unknown>> = []
    await assertTypeError(
      petstore.transaction(async (tx) => {
        await tx.orders.place({ petId })
        calls.push(tx.orders.place({ petId }).catch(() => undefined))
      })
    )
    await Promise.all(calls)
    assertEqual(await orderIds(petstore), [])
  },
  "calls of a transaction that are made at once run one after the other": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const quantities = await petstore.transaction((tx) =>
      Promise.all([1, 2, 2].map(async (quantity) => (await tx.orders.place({ petId, quantity })).quantity))
    )
    assertEqual(quantities, [1, 2, 2])
    assertEqual((await stockOf(petstore, petId)).available, 0)
  },
  "of two transactions that change one pet, the later one is busy": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const place = (tx: PetstoreTransaction) => tx.orders.place({ petId, quantity: 3 })
    await assertOneIsBusy(await atOnce(petstore, place, place))
    assertEqual((await stockOf(petstore, petId)).reserved, 3)
  },
  "transactions that create at once do not wait for each other, and their ids differ": async (petstore) => {
    const [one, other] = [await petOf(petstore, 5), await petOf(petstore, 5)]
    const ends = await atOnce(
      petstore,
      (tx) => tx.orders.place({ petId: one }),
      (tx) => tx.orders.place({ petId: other })
    )
    assertEqual(
      ends.map(({ status }) => status),
      ["fulfilled", "fulfilled"]
    )
    assertEqual(new Set(await orderIds(petstore)).size, 2)
  },
  "a body that may run again does, after a conflict": async (petstore) => {
    const petId = await petOf(petstore, 5)
    let runs = 0
    const ordered = elsewhere(() => petstore.orders.place({ petId }))
    const reserved = await petstore.transaction(
      async (tx) => {
        const { reserved } = await tx.inventory.get(petId)
        if (++runs === 1) await ordered()
        await tx.orders.place({ petId })
        return reserved
      },
      { retries: 1 }
    )
    assertEqual([runs, reserved], [2, 1])
    assertEqual((await stockOf(petstore, petId)).reserved, 2)
  },
  "a failure that follows from what another one has changed meanwhile is a conflict": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const orderId = await orderOf(petstore, petId, 2)
    const shipped = elsewhere(() => petstore.orders.complete(orderId))
    const busy = petstore.transaction(async (tx) => {
      await tx.orders.get(orderId)
      await shipped()
      await tx.orders.update(orderId, { quantity: 5 })
    })
    await rejectsWith("storage_busy", busy)
  },
  "a transaction that is cancelled rejects with the reason and changes nothing": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const reason = new Error("The customer left")
    const leaving = new AbortController()
    const call = petstore.transaction(
      async (tx) => {
        await tx.orders.place({ petId })
        leaving.abort(reason)
        await new Promise(() => {})
      },
      { signal: leaving.signal }
    )
    await rejectsAs(reason, call)
    assertEqual(await orderIds(petstore), [])
  },
  "a transaction with a key runs once, and returns its result again": async (petstore) => {
    const petId = await petOf(petstore, 9)
    let runs = 0
    const checkout = () =>
      petstore.transaction(
        async (tx) => {
          runs++
          return tx.orders.place({ petId, quantity: 2 })
        },
        { idempotencyKey: "5f3a-checkout" }
      )
    const order = await checkout()
    assertEqual(await checkout(), order)
    assertEqual(runs, 1)
    assertEqual((await stockOf(petstore, petId)).reserved, 2)
    await rejectsWith("idempotency_key_reused", petstore.orders.place({ petId }, { idempotencyKey: "5f3a-checkout" }))
  },
  "a repetition in a transaction returns the stored result": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const once = { idempotencyKey: "5f3a-in-transaction" }
    const order = await petstore.orders.place({ petId }, once)
    await petstore.transaction(async (tx) => {
      assertEqual(await tx.orders.place({ petId }, once), order)
      const other = await tx.orders.place({ petId }, { idempotencyKey: "5f3a-other" })
      assertEqual(await tx.orders.place({ petId }, { idempotencyKey: "5f3a-other" }), other)
    })
    assertEqual((await stockOf(petstore, petId)).reserved, 2)
  },
  "a user acts in a transaction as themselves": async (petstore) => {
    const ada = petstore.as({ user: "ada" })
    await petstore.transaction(async (tx) => {
      const { id } = await tx.as({ user: "ada" }).orders.place({})
      await rejectsWith("not_found", tx.as({ user: "bob" }).orders.get(id))
      await tx.orders.place({})
      assertEqual(await orderIds(tx.as({ user: "ada" })), [id])
    })
    assertEqual((await orderIds(ada)).length, 1)
  },
  "a call of the petstore joins a transaction by its option, as it joins one of the host application": async (
    petstore
  ) => {
    const petId = await petOf(petstore, 9)
    const looked = elsewhere(() => petstore.inventory.get(petId))
    await reasonOf(
      petstore.transaction(async (transaction) => {
        await petstore.orders.place({ petId }, { transaction })
        await petstore.as({ user: "ada" }).orders.place({ petId }, { transaction })
        assertEqual((await petstore.inventory.get(petId, { transaction })).reserved, 2)
        assertEqual((await looked()).reserved, 0)
        throw new Error("No")
      })
    )
    assertEqual(await orderIds(petstore), [])
    await petstore.transaction(async (transaction) => {
      await petstore.orders.place({ petId }, { transaction })
    })
    assertEqual((await orderIds(petstore)).length, 1)
  },
  "the events of a transaction appear together, after its commit": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const after = await petstore.events.latest()
    const looked = elsewhere(() => petstore.events.latest())
    await petstore.transaction(async (tx) => {
      await tx.orders.place({ petId })
      await tx.messages.enqueue("Thank you")
      assertEqual(await tx.events.latest(), after)
      assertEqual(await looked(), after)
    })
    assertEqual(await typesAfter(petstore, after), ["order.placed", "inventory.updated", "message.queued"])
  },
  "an option that transactions do not have is rejected with a TypeError": async (petstore) => {
    const body = async () => undefined
    for (const options of [{ timeOut: 5 }, { retries: -1 }, { timeout: "soon" }, { signal: 5 }]) {
      await assertTypeError(petstore.transaction(body, untyped(options)))
    }
    await assertTypeError(petstore.transaction((tx) => tx.orders.place({}, untyped({ transaction: tx }))))
    await rejectsWith("invalid_idempotency_key", petstore.transaction(body, { idempotencyKey: "" }))
  }
})
