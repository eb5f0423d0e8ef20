import type { CreateOptions, PetstoreApi } from "@petstore/core"
import { limits } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { untyped } from "../untyped.ts"
import { petstoreCases } from "./cases.ts"
import { category, orderOf, petOf, unknown } from "./given.ts"
import { allIds, collect, idsOf, ledger, stockOf } from "./inspect.ts"
import { rejectsWith } from "./rejections.ts"

const once: CreateOptions = { idempotencyKey: "5f3a-once" }

type Created = Promise<{ readonly id: number | string }>

type Creation = (options?: CreateOptions) => Created

const concurrently = (create: () => Promise<{ readonly id: number | string }>) =>
  Promise.all(Array.from({ length: 20 }, () => create()))

/** Checks that two inputs are the same request: the second call returns the result of the first. */
const areOneRequest = async <A>(
  create: (input: A, options: CreateOptions) => Promise<unknown>,
  inputs: ReadonlyArray<A>
) => {
  const results: unknown[] = []
  for (const input of inputs) results.push(await create(input, once))
  for (const result of results) assertEqual(result, results[0])
}

const place =
  (petstore: PetstoreApi, petId: number): Creation =>
  (options) =>
    petstore.orders.place({ petId, quantity: 2 }, options)

export const idempotencyCases = petstoreCases("idempotency", {
  "a repeated creation has one effect, of whatever it is": async (petstore) => {
    const { accounts, categories, messages, pets } = petstore
    const petId = await petOf(petstore, 9)
    const { categoryId } = await pets.get(petId)
    const kinds = ["pets", "categories", "orders", "messages", "accounts"] as const
    const creations: Readonly<Record<(typeof kinds)[number], (options: CreateOptions, effect: number) => Created>> = {
      pets: (options) => pets.create({ name: "Rex", categoryId }, options),
      categories: (options, effect) => categories.create({ name: `Dogs ${effect}` }, options),
      orders: place(petstore, petId),
      messages: (options) => messages.enqueue("Hello", options),
      accounts: (options, effect) => accounts.create({ name: `Shop ${effect}` }, options)
    }
    for (const what of kinds) {
      const create = creations[what]
      const count = async () => (await collect<unknown>(petstore[what].all())).length
      const before = await count()
      const options = { idempotencyKey: `5f3a-${what}` }
      const first = await create(options, 1)
      assertEqual(await create(options, 1), first)
      assertEqual(await count(), before + 1, `the number of ${what} after two calls with one key`)
      const other = await create({ idempotencyKey: `5f3a-${what}-other` }, 2)
      assertTrue(other.id !== first.id, "another key has another effect")
    }
    assertEqual((await stockOf(petstore, petId)).reserved, 4, "the units of two orders")
  },
  "without a key a repeated creation has two effects": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const create = place(petstore, petId)
    const results = [await create(), await create(), await create({}), await create({ idempotencyKey: undefined })]
    assertEqual(new Set(idsOf(results)).size, results.length)
  },
  "the same key with another input is rejected, of whatever it is": async (petstore) => {
    const { accounts, categories, inventory, messages, pets, records } = petstore
    const petId = await petOf(petstore, 9)
    const { categoryId } = await pets.get(petId)
    const reason = "received"
    const calls: ReadonlyArray<(units: number, options: CreateOptions) => Promise<unknown>> = [
      (units, options) => accounts.create({ name: `Shop ${units}` }, options),
      (units, options) => categories.create({ name: `Dogs ${units}` }, options),
      (units, options) => categories.update(categoryId, { name: `Cats ${units}` }, options),
      (units, options) => messages.enqueue(`${units} units`, options),
      (units, options) => pets.create({ name: `Rex ${units}`, categoryId }, options),
      (units, options) => pets.createAll([{ name: `Rex ${units}`, categoryId }], options),
      (delta, options) => inventory.adjust(petId, { delta, reason }, options),
      (delta, options) => inventory.adjustAll([{ petId, delta, reason }], options),
      (quantity, options) => inventory.setAll([{ petId, quantity }], options),
      (units, options) => records.update("pets", petId, { metadata: { units: `${units}` } }, options)
    ]
    for (const [index, call] of calls.entries()) {
      const options = { idempotencyKey: `5f3a-${index}` }
      await call(8, options)
      await rejectsWith("idempotency_key_reused", call(7, options))
    }
    await petstore.orders.place({ petId, quantity: 2 }, once)
    await rejectsWith("idempotency_key_reused", petstore.orders.place({ petId, quantity: 3 }, once))
    await rejectsWith("idempotency_key_reused", petstore.orders.place({ petId, quantity: 2, complete: true }, once))
    await rejectsWith("idempotency_key_reused", petstore.orders.place({ quantity: 2 }, once))
    assertEqual((await stockOf(petstore, petId)).reserved, 2)
  },
  "the same key for another operation is rejected": async (petstore) => {
    await petstore.accounts.create({ name: "Dogs" }, once)
    await rejectsWith("idempotency_key_reused", petstore.categories.create({ name: "Dogs" }, once))
    await rejectsWith("idempotency_key_reused", petstore.messages.enqueue("Dogs", once))
    assertEqual((await petstore.categories.list()).items, [])
  },
  "a rejected creation may succeed later with the same key": async (petstore) => {
    const petId = await petOf(petstore, 1)
    const call = () => petstore.orders.place({ petId, quantity: 3 }, once)
    await rejectsWith("insufficient_stock", call(), { petId, requested: 3, available: 1 })
    await rejectsWith("insufficient_stock", call(), { petId, requested: 3, available: 1 })
    await petstore.inventory.set(petId, 5)
    const order = await call()
    assertEqual(await call(), order)
    assertEqual((await stockOf(petstore, petId)).reserved, 3)
  },
  "the key of a rejected creation can be used with another input": async (petstore) => {
    const categoryId = await category(petstore)
    const refusedPet = petstore.pets.create({ name: "Rex", categoryId: unknown }, once)
    await rejectsWith("unknown_category", refusedPet, { categoryId: unknown })
    assertEqual((await petstore.pets.create({ name: "Rex", categoryId }, once)).categoryId, categoryId)
  },
  "an invalid creation does not use up its key": async (petstore) => {
    await rejectsWith("validation_failed", petstore.categories.create({ name: "" }, once))
    assertEqual((await petstore.categories.create({ name: "Dogs" }, once)).name, "Dogs")
  },
  "the order of fields and undefined fields do not make a different request, nor does a default or an ignored id":
    async (petstore) => {
      const [petId, categoryId] = [await petOf(petstore, 9), await category(petstore)]
      await areOneRequest(
        (input, options) => petstore.pets.create(input, options),
        [
          { name: "Rex", categoryId },
          { categoryId, name: "Rex" },
          untyped({ name: "Rex", categoryId, status: undefined }),
          { name: "Rex", categoryId, status: "available" as const }
        ]
      )
      assertEqual((await allIds(petstore.pets.all({ categoryId }))).length, 1)
      await areOneRequest(
        (input) => petstore.orders.place(input, { idempotencyKey: "order" }),
        [
          { petId },
          { petId, quantity: 1 },
          { petId, complete: false },
          { id: unknown, complete: false, quantity: 1, petId }
        ]
      )
      assertEqual((await stockOf(petstore, petId)).reserved, 1)
    },
  "different spellings of one text or time do not make a different request": async (petstore) => {
    await areOneRequest(
      (input, options) => petstore.categories.create(input, options),
      [{ name: "Caf\u00e9" }, { name: "  Cafe\u0301 " }]
    )
    const options = { idempotencyKey: "time" }
    const order = await petstore.orders.place({ shipDate: "2030-01-01T00:00:00Z" }, options)
    assertEqual(await petstore.orders.place({ shipDate: "2030-01-01T01:00:00.000+01:00" }, options), order)
  },
  "a repeated request returns the stored result, whatever happened since": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const create = place(petstore, petId)
    const order = await create(once)
    await petstore.orders.update(Number(order.id), { quantity: 5 })
    const before = await ledger(petstore, petId)
    assertEqual(await create(once), order)
    assertEqual(await ledger(petstore, petId), before)
    await petstore.orders.cancel(Number(order.id))
    assertEqual(await create(once), order)
    await rejectsWith("not_found", petstore.orders.get(Number(order.id)))
    assertEqual((await stockOf(petstore, petId)).reserved, 0)
  },
  "identical concurrent requests have one effect, and all succeed though they take the last unit": async (petstore) => {
    const petId = await petOf(petstore, 2)
    const orders = await concurrently(() => place(petstore, petId)(once))
    assertEqual(new Set(idsOf(orders)).size, 1)
    assertEqual((await stockOf(petstore, petId)).reserved, 2)
    assertEqual((await petstore.orders.list()).items.length, 1)
  },
  "of different concurrent requests with one key, one succeeds": async (petstore) => {
    const petId = await petOf(petstore, 50)
    const calls = [1, 2, 3, 4, 5].map((quantity) => petstore.orders.place({ petId, quantity }, once))
    const results = await Promise.allSettled(calls)
    const won = results.filter((result) => result.status === "fulfilled")
    assertEqual(won.length, 1)
    for (const lost of results.filter((result) => result.status === "rejected")) {
      await rejectsWith("idempotency_key_reused", Promise.reject(lost.reason))
    }
    assertEqual((await stockOf(petstore, petId)).reserved, won[0]?.value.quantity)
  },
  "another resource, another input or another condition makes a different request of a change": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const other = (await petstore.pets.create({ name: "Bello", categoryId: await category(petstore) })).id
    await petstore.pets.update(petId, { name: "Max" }, { ...once, ifVersion: 1 })
    const changes = [
      () => petstore.pets.update(other, { name: "Max" }, { ...once, ifVersion: 1 }),
      () => petstore.pets.update(petId, { name: "Moritz" }, { ...once, ifVersion: 1 }),
      () => petstore.pets.update(petId, { name: "Max" }, { ...once, ifVersion: 2 }),
      () => petstore.pets.update(petId, { name: "Max" }, once),
      () => petstore.pets.delete(petId, { ...once, ifVersion: 1 }),
      () => petstore.inventory.set(petId, 3, { ...once, ifVersion: 1 })
    ]
    for (const change of changes) await rejectsWith("idempotency_key_reused", change())
    const again = { ...once, ifVersion: [1] }
    assertEqual((await petstore.pets.update(petId, { name: " Max ", id: unknown }, again)).version, 2)
  },
  "identical concurrent cancellations all succeed, and release once": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const orderId = await orderOf(petstore, petId, 2)
    await Promise.all(Array.from({ length: 20 }, () => petstore.orders.cancel(orderId, once)))
    assertEqual((await stockOf(petstore, petId)).reserved, 0)
    assertEqual((await ledger(petstore, petId)).filter(([kind]) => kind === "cancelled").length, 1)
  },
  "keys are compared exactly": async (petstore) => {
    const keys = ["a", "A", "b", "a!", '"a"', "a\\", "a,b", "x".repeat(limits.idempotencyKey)]
    const ids: Array<string> = []
    for (const idempotencyKey of keys) {
      const { id } = await petstore.messages.enqueue("Hello", { idempotencyKey })
      assertEqual((await petstore.messages.enqueue("Hello", { idempotencyKey })).id, id)
      ids.push(id)
    }
    assertEqual(new Set(ids).size, keys.length)
  },
  "a key that is empty, too long or not visible ASCII is rejected": async (petstore) => {
    const broken = ["", " ", "a b", "a\n", "é", "\u0000", "\ud800", "x".repeat(limits.idempotencyKey + 1)]
    const messages: Array<string> = []
    for (const idempotencyKey of [...broken, ...[null, 7, ["a"], Promise.resolve("a")].map(untyped)]) {
      const call = petstore.messages.enqueue("Hello", { idempotencyKey })
      await rejectsWith("invalid_idempotency_key", call)
      messages.push(await call.then(String, (error: Error) => error.message.replace(/^.*, not /, "")))
    }
    assertEqual(messages.slice(0, 4), ['"".', '" ".', '"a b".', '"a\\n".'])
    assertEqual(messages.slice(-4), ["null.", "7.", "an array.", "a promise: await it."])
    assertEqual((await petstore.messages.list()).items, [])
  }
})
