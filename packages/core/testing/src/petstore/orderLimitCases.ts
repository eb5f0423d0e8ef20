import { type Petstore, type ProposedOrder, refusal } from "@petstore/core"
import type { OrderLimits } from "@petstore/core/domain"
import { assertEqual } from "../check.ts"
import { type EmbeddedBody, type EmbeddedCase, embeddedGroup } from "./embeddedGroup.ts"
import { petOf } from "./given.ts"
import { collect } from "./inspect.ts"
import { endsOf, rejectsWith } from "./rejections.ts"

const ada = (petstore: Petstore) => petstore.as({ user: "ada" })

/** Checks that a call is rejected because its owner already holds all that a limit allows. */
const exceeds = (call: Promise<unknown>, limit: "drafts" | "openOrders" | "reservedUnits", maximum: number) =>
  rejectsWith("order_limit_exceeded", call, { limit, maximum, held: maximum, requested: 1 })

class TooMuch extends refusal("too_much", (details: { readonly held: string }) => `They hold ${details.held}.`) {}

type Rule = (order: ProposedOrder) => TooMuch | undefined

/** A case on petstores with these limits, and with a rule for orders. */
const limited = (limits: OrderLimits, body: EmbeddedBody, order?: Rule): EmbeddedCase => {
  const options = { orderLimits: limits, ...(order === undefined ? {} : { rules: { order } }) }
  return { options, ofAnother: options, body }
}

/** What one owner of orders may hold, by the option `orderLimits`. */
export const orderLimitCases = embeddedGroup("order limits", {
  "of many orders at once, an owner gets as many as they may hold, whichever petstore they ask": limited(
    { openOrders: 7 },
    async (petstore, { another }) => {
      const [petId, other] = [await petOf(petstore, 100), await petOf(petstore, 100)]
      const ends = await endsOf(50, (n) =>
        ada(n % 2 === 0 ? petstore : another).orders.place({ petId: n % 3 === 0 ? other : petId })
      )
      assertEqual(ends, { done: 7, order_limit_exceeded: 43 })
      assertEqual((await collect(ada(petstore).orders.all())).length, 7)
      await exceeds(ada(petstore).orders.place({ petId }), "openOrders", 7)
      await petstore.as({ user: "bob" }).orders.place({ petId })
      assertEqual(await endsOf(8, () => petstore.orders.place({ petId })), { done: 8 })
    }
  ),
  "what an owner no longer holds makes room": limited({ openOrders: 1, drafts: 1 }, async (petstore) => {
    const { orders } = ada(petstore)
    const petId = await petOf(petstore, 100)
    const { id } = await orders.place({ petId })
    await orders.place({ petId, complete: true })
    await exceeds(orders.place({ petId }), "openOrders", 1)
    await orders.complete(id)
    await orders.cancel((await orders.place({ petId })).id)
    await orders.place({ petId })
  }),
  "units are counted together, and those of amendments too": limited(
    { reservedUnits: 10 },
    async (petstore, { another }) => {
      const [petId, other] = [await petOf(petstore, 100), await petOf(petstore, 100)]
      const ids: Array<number> = []
      for (let n = 0; n < 4; n++)
        ids.push((await ada(petstore).orders.place({ petId: n % 2 === 0 ? petId : other })).id)
      const ends = await endsOf(4, (n) =>
        ada(n % 2 === 0 ? petstore : another).orders.update(ids[n] ?? 0, { quantity: 3 })
      )
      assertEqual(ends, { done: 3, order_limit_exceeded: 1 })
      await exceeds(ada(petstore).orders.place({ petId }), "reservedUnits", 10)
      const largest = (await collect(ada(petstore).orders.all())).find(({ quantity }) => quantity === 3)
      await ada(petstore).orders.update(largest?.id ?? 0, { quantity: 2, shipDate: "2030-01-01T00:00:00Z" })
      await ada(petstore).orders.place({ petId })
    }
  ),
  "drafts are limited, and a draft that opens counts as an open order": limited(
    { drafts: 2, openOrders: 1 },
    async (petstore) => {
      const { orders } = ada(petstore)
      const petId = await petOf(petstore, 100)
      assertEqual(await endsOf(9, () => orders.place({})), { done: 2, order_limit_exceeded: 7 })
      const drafts = (await orders.list()).items
      assertEqual(await endsOf(2, (n) => orders.update(drafts[n]?.id ?? 0, { petId })), {
        done: 1,
        order_limit_exceeded: 1
      })
      await orders.place({})
    }
  ),
  "a basket counts all of its orders": limited({ openOrders: 3 }, async (petstore, { another }) => {
    const [petId, other] = [await petOf(petstore, 100), await petOf(petstore, 100)]
    const basket = [{ petId }, { petId: other }]
    const four = [...basket, ...basket]
    await rejectsWith("order_limit_exceeded", ada(petstore).orders.placeAll(four), {
      limit: "openOrders",
      maximum: 3,
      held: 3,
      requested: 1,
      index: 3
    })
    const ends = await endsOf(10, (n) => ada(n % 2 === 0 ? petstore : another).orders.placeAll(basket))
    assertEqual(ends, { done: 1, order_limit_exceeded: 9 })
  }),
  "a transaction of several calls does not go over": limited({ openOrders: 3 }, async (petstore, { another }) => {
    const petId = await petOf(petstore, 100)
    await endsOf(8, (n) =>
      (n % 2 === 0 ? petstore : another).transaction(
        async (tx) => {
          await tx.as({ user: "ada" }).orders.place({ petId })
          await tx.as({ user: "ada" }).orders.place({ petId })
        },
        { retries: 20, timeout: "1 minute" }
      )
    )
    assertEqual((await collect(ada(petstore).orders.all())).length, 2)
  }),
  "a retry with the key of a success is no new order": limited({ openOrders: 1 }, async (petstore) => {
    const petId = await petOf(petstore, 100)
    const place = () => ada(petstore).orders.place({ petId }, { idempotencyKey: "once" })
    assertEqual(await place(), await place())
  }),
  "limits of customers are none for those who see all orders": limited(
    { openOrders: 1, of: "customers" },
    async (petstore) => {
      const petId = await petOf(petstore, 100)
      const { id } = await ada(petstore).orders.place({ petId })
      await petstore.orders.update(id, { quantity: 50 })
      assertEqual(await endsOf(3, () => petstore.orders.place({ petId })), { done: 3 })
      await exceeds(ada(petstore).orders.place({ petId }), "openOrders", 1)
    }
  ),
  "rules of the application see what the owner holds beside the order": limited(
    {},
    async (petstore) => {
      const { orders } = ada(petstore)
      const petId = await petOf(petstore, 100)
      for (const order of [{ petId, quantity: 4 }, { petId, quantity: 5 }, {}]) await orders.place(order)
      const error = await orders.place({ petId }).catch((thrown: unknown) => thrown)
      assertEqual(error instanceof TooMuch ? error.details.held : error, "2 9 1")
      const first = (await orders.list()).items[0]
      assertEqual((await orders.update(first?.id ?? 0, { quantity: 6 })).quantity, 6)
      assertEqual(await endsOf(3, () => petstore.orders.place({ petId })), { done: 3 })
    },
    ({ held }) => {
      const { drafts, openOrders, reservedUnits } = held ?? { drafts: 0, openOrders: 0, reservedUnits: 0 }
      return openOrders + drafts < 3 ? undefined : new TooMuch({ held: `${openOrders} ${reservedUnits} ${drafts}` })
    }
  ),
  "rules of the application see it beside an order that is completed, too": limited(
    {},
    async (petstore) => {
      const { orders } = ada(petstore)
      const petId = await petOf(petstore, 100)
      const { id } = await orders.place({ petId, quantity: 4 })
      await orders.place({ petId, quantity: 5 })
      assertEqual((await orders.update(id, { complete: true })).complete, true)
    },
    ({ facts, held }) =>
      facts.includes("completed") && held?.reservedUnits !== 5
        ? new TooMuch({ held: `${held?.reservedUnits}` })
        : undefined
  )
})
