import type { EmbeddedOnceOptions, HostTransaction, Petstore } from "@petstore/core"
import { assertEqual, assertTrue } from "../check.ts"
import { untyped } from "../untyped.ts"
import { petstoreCases } from "./cases.ts"
import { petOf } from "./given.ts"
import { allIds, assertUnchanged, stockOf } from "./inspect.ts"

import { assertTypeError, reasonOf, rejectsAs, rejectsWith } from "./rejections.ts"

const key = "5f3a-checkout"

/** Orders a pet and queues a message in one transaction, once. Returns how often its body has run, too. */
const checkouts = (petstore: Petstore, petId: number) => {
  let runs = 0
  const order = (options: Partial<EmbeddedOnceOptions> = {}) =>
    petstore.transaction((transaction) =>
      petstore.once(
        key,
        async () => {
          runs++
          const { id } = await petstore.orders.place({ petId, quantity: 2 }, { transaction })
          await petstore.messages.enqueue(`Order ${id}`, { transaction })
          return { id, run: runs }
        },
        { transaction, ...options }
      )
    )
  return { order, runs: () => runs }
}

const messagesOf = async ({ messages }: Petstore) => (await messages.list()).items.map(({ message }) => message)

/** `petstore.once`, in what `petstore.transaction` opens: it may be a transaction of a host application. */
export const onceCases = petstoreCases<Petstore>("bodies that run once", {
  "a body that is repeated has one effect, and returns its first result": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const { order, runs } = checkouts(petstore, petId)
    const first = await order()
    assertEqual(await order(), first)
    await petstore.orders.cancel(first.id)
    assertEqual(await order(), first, "whatever happened since")
    assertEqual(runs(), 1)
    assertEqual(await messagesOf(petstore), [`Order ${first.id}`])
  },
  "bodies with one key that run at once have one effect, and succeed when they are repeated": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const { order } = checkouts(petstore, petId)
    const ends = await Promise.allSettled([order(), order(), order()])
    for (const end of ends) {
      if (end.status === "rejected") {
        const { code } = end.reason
        assertTrue(["storage_busy", "idempotency_in_progress"].includes(code), `${code} says to repeat it`)
      }
    }
    const first = await order()
    for (const end of ends) if (end.status === "fulfilled") assertEqual(end.value, first)
    assertEqual((await stockOf(petstore, petId)).reserved, 2)
    assertEqual((await messagesOf(petstore)).length, 1)
  },
  "a body that rejects keeps nothing, and may succeed later with its key": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const reason = new Error("The customer left")
    await assertUnchanged(petstore, [petId], async () => {
      const left = petstore.transaction((transaction) =>
        petstore.once(
          key,
          async () => {
            await petstore.orders.place({ petId }, { transaction })
            throw reason
          },
          { transaction }
        )
      )
      await rejectsAs(reason, left)
    })
    await checkouts(petstore, petId).order()
    assertEqual((await stockOf(petstore, petId)).reserved, 2)
  },
  "a transaction that is rolled back behind its body keeps nothing": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const rolledBack = petstore.transaction(async (transaction) => {
      await petstore.once(key, () => petstore.orders.place({ petId }, { transaction }), { transaction })
      throw new Error("No")
    })
    await reasonOf(rolledBack)
    const { order, runs } = checkouts(petstore, petId)
    await order()
    assertEqual(runs(), 1)
  },
  "the same key with another input, or for something else, is rejected before the body runs": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const { order, runs } = checkouts(petstore, petId)
    const first = await order({ input: { petId, quantity: 2 } })
    assertEqual(await order({ input: { quantity: 2, petId } }), first)
    for (const input of [{ petId, quantity: 3 }, undefined, null]) {
      await rejectsWith("idempotency_key_reused", order({ input }))
    }
    await rejectsWith("idempotency_key_reused", petstore.orders.place({ petId }, { idempotencyKey: key }))
    await petstore.orders.place({ petId }, { idempotencyKey: "5f3a-order" })
    const body = (transaction: HostTransaction) => petstore.once("5f3a-order", () => 1, { transaction })
    await rejectsWith("idempotency_key_reused", petstore.transaction(body))
    assertEqual(runs(), 1)
  },
  "each user has keys of their own": async (petstore) => {
    const run = (user: string) =>
      petstore.transaction((transaction) =>
        petstore.as({ user }).once(
          key,
          async () => {
            const { id } = await petstore.as({ user }).orders.place({}, { transaction })
            return id
          },
          { transaction }
        )
      )
    const [ada, bob] = [await run("ada"), await run("bob")]
    assertTrue(ada !== bob, "each has an order")
    assertEqual([await run("ada"), await run("bob")], [ada, bob])
    assertEqual(await allIds(petstore.as({ user: "ada" }).orders.all()), [ada])
  },
  "a result is any JSON, or nothing": async (petstore) => {
    const results = [undefined, null, 0, "", "\u0000\ud800", [], [1, { a: [null] }], { a: undefined, b: "é" }]
    for (const [index, result] of results.entries()) {
      const run = () =>
        petstore.transaction((transaction) => petstore.once(`5f3a-${index}`, async () => result, { transaction }))
      const first = await run()
      assertEqual(JSON.stringify(await run()), JSON.stringify(first))
    }
  },
  "a result or an input that is not JSON is rejected with a TypeError, and nothing is kept": async (petstore) => {
    const cyclic: { self?: unknown } = {}
    cyclic.self = cyclic
    for (const value of [new Date(0), { at: new Map() }, [undefined], [1n], Number.NaN, () => 1, Symbol("a"), cyclic]) {
      const returns = petstore.transaction(async (transaction) => {
        await petstore.messages.enqueue("Hello", { transaction })
        await petstore.once(key, () => value, { transaction })
      })
      await assertTypeError(returns)
      const takes = petstore.transaction((transaction) => petstore.once(key, () => 1, { transaction, input: value }))
      await assertTypeError(takes)
    }
    assertEqual(await messagesOf(petstore), [])
    await petstore.transaction((transaction) => petstore.once(key, () => 1, { transaction }))
  },
  "two bodies with one key in one transaction are rejected, since both have taken effect": async (petstore) => {
    const twice = petstore.transaction((transaction) => {
      const run = () => petstore.once(key, () => petstore.messages.enqueue("Hello", { transaction }), { transaction })
      return petstore.once(key, run, { transaction })
    })
    await rejectsWith("idempotency_in_progress", twice)
    assertEqual(await messagesOf(petstore), [])
  },
  "a key that is none, no body, no transaction, and other options are rejected": async (petstore) => {
    await petstore.transaction(async (transaction) => {
      for (const wrong of ["", "a b", untyped(null), untyped(7)]) {
        await rejectsWith(
          "invalid_idempotency_key",
          petstore.once(wrong, () => 1, { transaction })
        )
      }
      await assertTypeError(petstore.once(key, untyped(undefined), { transaction }))
      await assertTypeError(petstore.once(key, () => 1, untyped({ transaction, ifVersion: 1 })))
    })
    for (const options of [undefined, null, {}, { transaction: undefined }, { transaction: 5 }, { transaction: {} }]) {
      await assertTypeError(petstore.once(key, () => 1, untyped(options)))
    }
  },
  "a signal that aborts while the body runs keeps nothing": async (petstore) => {
    const reason = new Error("The customer left")
    const left = petstore.transaction((transaction) => {
      const controller = new AbortController()
      const { signal } = controller
      return petstore.once(key, async () => controller.abort(reason), { transaction, signal })
    })
    await rejectsAs(reason, left)
    assertEqual(await petstore.transaction((transaction) => petstore.once(key, () => 1, { transaction })), 1)
  }
})
