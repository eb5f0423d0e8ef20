import { type Petstore, type ProposedOrder, refusal } from "@petstore/core"
import { type OrderLimits, PetstoreError } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import type { ContractCase } from "../ContractCase.ts"
import { assertEqual } from "../check.ts"
import { checkInvariants } from "./checkInvariants.ts"
import { petOf } from "./given.ts"
import { collect } from "./inspect.ts"
import type { EmbeddedFixture } from "./PetstoreFixture.ts"
import { rejectsWith } from "./rejections.ts"

const endOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "done",
    (error: unknown) => {
      if (error instanceof PetstoreError) return error.code
      throw error
    }
  )

/** How many calls at once ended in which way. */
const endsOf = async (
  count: number,
  call: (n: number) => Promise<unknown>
): Promise<Readonly<Record<string, number>>> => {
  const ends: Record<string, number> = {}
  for (const end of await Promise.all(Array.from({ length: count }, (_, n) => endOf(call(n))))) {
    ends[end] = (ends[end] ?? 0) + 1
  }
  return ends
}

const ada = (petstore: Petstore) => petstore.as({ user: "ada" })

interface Case {
  readonly limits: OrderLimits
  readonly rules?: (order: ProposedOrder) => InstanceType<typeof TooMuch> | undefined
  readonly body: (petstore: Petstore, another: Petstore) => Promise<void>
}

class TooMuch extends refusal("too_much", (details: { readonly held: string }) => `They hold ${details.held}.`) {}

const cases: Readonly<Record<string, Case>> = {
  "of many orders at once, an owner gets as many as they may hold, whichever petstore they ask": {
    limits: { openOrders: 7 },
    body: async (petstore, another) => {
      const [petId, other] = [await petOf(petstore, 100), await petOf(petstore, 100)]
      const ends = await endsOf(50, (n) =>
        ada(n % 2 === 0 ? petstore : another).orders.place({ petId: n % 3 === 0 ? other : petId })
      )
      assertEqual(ends, { done: 7, order_limit_exceeded: 43 })
      assertEqual((await collect(ada(petstore).orders.all())).length, 7)
      await rejectsWith("order_limit_exceeded", ada(petstore).orders.place({ petId }), {
        limit: "openOrders",
        maximum: 7,
        held: 7,
        requested: 1
      })
      await petstore.as({ user: "bob" }).orders.place({ petId })
      assertEqual(await endsOf(8, () => petstore.orders.place({ petId })), { done: 8 })
    }
  },
  "what an owner no longer holds makes room": {
    limits: { openOrders: 1, drafts: 1 },
    body: async (petstore) => {
      const { orders } = ada(petstore)
      const petId = await petOf(petstore, 100)
      const { id } = await orders.place({ petId })
      await orders.place({ petId, complete: true })
      await rejectsWith("order_limit_exceeded", orders.place({ petId }), {
        limit: "openOrders",
        maximum: 1,
        held: 1,
        requested: 1
      })
      await orders.complete(id)
      await orders.cancel((await orders.place({ petId })).id)
      await orders.place({ petId })
    }
  },
  "units are counted together, and those of amendments too": {
    limits: { reservedUnits: 10 },
    body: async (petstore, another) => {
      const [petId, other] = [await petOf(petstore, 100), await petOf(petstore, 100)]
      const ids: Array<number> = []
      for (let n = 0; n < 4; n++)
        ids.push((await ada(petstore).orders.place({ petId: n % 2 === 0 ? petId : other })).id)
      const ends = await endsOf(4, (n) =>
        ada(n % 2 === 0 ? petstore : another).orders.update(ids[n] ?? 0, { quantity: 3 })
      )
      assertEqual(ends, { done: 3, order_limit_exceeded: 1 })
      await rejectsWith("order_limit_exceeded", ada(petstore).orders.place({ petId }), {
        limit: "reservedUnits",
        maximum: 10,
        held: 10,
        requested: 1
      })
      const largest = (await collect(ada(petstore).orders.all())).find(({ quantity }) => quantity === 3)
      await ada(petstore).orders.update(largest?.id ?? 0, { quantity: 2, shipDate: "2030-01-01T00:00:00Z" })
      await ada(petstore).orders.place({ petId })
    }
  },
  "drafts are limited, and a draft that opens counts as an open order": {
    limits: { drafts: 2, openOrders: 1 },
    body: async (petstore) => {
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
  },
  "a basket counts all of its orders": {
    limits: { openOrders: 3 },
    body: async (petstore, another) => {
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
    }
  },
  "a transaction of several calls does not go over": {
    limits: { openOrders: 3 },
    body: async (petstore, another) => {
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
    }
  },
  "a retry with the key of a success is no new order": {
    limits: { openOrders: 1 },
    body: async (petstore) => {
      const petId = await petOf(petstore, 100)
      const place = () => ada(petstore).orders.place({ petId }, { idempotencyKey: "once" })
      assertEqual(await place(), await place())
    }
  },
  "limits of customers are none for those who see all orders": {
    limits: { openOrders: 1, of: "customers" },
    body: async (petstore) => {
      const petId = await petOf(petstore, 100)
      const { id } = await ada(petstore).orders.place({ petId })
      await petstore.orders.update(id, { quantity: 50 })
      assertEqual(await endsOf(3, () => petstore.orders.place({ petId })), { done: 3 })
      await rejectsWith("order_limit_exceeded", ada(petstore).orders.place({ petId }), {
        limit: "openOrders",
        maximum: 1,
        held: 1,
        requested: 1
      })
    }
  },
  "rules of the application see what the owner holds beside the order": {
    limits: {},
    rules: ({ held }) => {
      const { drafts, openOrders, reservedUnits } = held ?? { drafts: 0, openOrders: 0, reservedUnits: 0 }
      return openOrders + drafts < 3 ? undefined : new TooMuch({ held: `${openOrders} ${reservedUnits} ${drafts}` })
    },
    body: async (petstore) => {
      const { orders } = ada(petstore)
      const petId = await petOf(petstore, 100)
      for (const order of [{ petId, quantity: 4 }, { petId, quantity: 5 }, {}]) await orders.place(order)
      const error = await orders.place({ petId }).catch((thrown: unknown) => thrown)
      assertEqual(error instanceof TooMuch ? error.details.held : error, "2 9 1")
      const first = (await orders.list()).items[0]
      assertEqual((await orders.update(first?.id ?? 0, { quantity: 6 })).quantity, 6)
      assertEqual(await endsOf(3, () => petstore.orders.place({ petId })), { done: 3 })
    }
  },
  "rules of the application see it beside an order that is completed, too": {
    limits: {},
    rules: ({ facts, held }) =>
      facts.includes("completed") && held?.reservedUnits !== 5
        ? new TooMuch({ held: `${held?.reservedUnits}` })
        : undefined,
    body: async (petstore) => {
      const { orders } = ada(petstore)
      const petId = await petOf(petstore, 100)
      const { id } = await orders.place({ petId, quantity: 4 })
      await orders.place({ petId, quantity: 5 })
      assertEqual((await orders.update(id, { complete: true })).complete, true)
    }
  }
}

/** What one owner of orders may hold, by the option `orderLimits`. */
export const orderLimitCases = ({ openAnother, openWith }: EmbeddedFixture): ReadonlyArray<ContractCase> =>
  Object.entries(cases).map(([name, { body, limits, rules }]) => {
    const group = "order limits"
    if (openWith === undefined) {
      return { group, name, run: Effect.void, skip: "the fixture opens no petstore with options" }
    }
    const options = { orderLimits: limits, ...(rules === undefined ? {} : { rules: { order: rules } }) }
    const run = Effect.gen(function* () {
      const petstore = yield* openWith(options)
      const another = openAnother === undefined ? petstore : yield* openAnother(petstore, options)
      yield* Effect.tryPromise({ try: () => body(petstore, another), catch: (error) => error })
      yield* checkInvariants(petstore)
    })
    return { group, name, run: Effect.scoped(run) }
  })
