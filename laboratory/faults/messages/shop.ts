import { setTimeout as sleep } from "node:timers/promises"
import { createPetstore, InsufficientStock, type Petstore } from "@petstore/core"
import { Petstore as EffectPetstore, openPetstore } from "@petstore/core/effect"
import type { StorageAdapter } from "@petstore/core/ports"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { postgres } from "../../../packages/adapters/src/postgres/index.ts"
import { type Counted, type MessageFault, TcpProxy } from "../../../packages/adapters/test/support/postgres/TcpProxy.ts"
import type { Outcome } from "../faultOutcomes.ts"
import { ShopClient } from "./ShopClient.ts"

/** How a run ended. */
export interface ShopRun extends Pick<Outcome<MessageFault>, "failed" | "lines" | "findings"> {
  /** What passed the proxy. */
  readonly counts: Readonly<Record<Counted, number>>
}

/** Short, so that a client gives up before a message that is delayed arrives. */
const timeouts = { lockTimeout: 300, statementTimeout: 400, connectTimeout: 500, timeout: 600 } as const

/** Milliseconds for which the handler of the consumer is waited for. */
const patience = 15_000

/** Does not log what goes on behind the calls and is tried again. */
const silent = (adapter: StorageAdapter) => Layer.provideMerge(EffectPetstore.layer(adapter), Logger.layer([]))

/** Units of the first pet before, and of the second one, which three clients want. */
const [many, few] = [1000, 5]

/** The quantities of orders of the first pet, which tell them apart, and the steps that place them. */
const steps: Readonly<Record<number, string>> = {
  2: "amend",
  4: "cart",
  5: "cart",
  6: "transaction",
  7: "once-7",
  11: "once-11",
  12: "once-12",
  13: "place-13",
  14: "place-14",
  17: "cart-2",
  18: "cart-2",
  21: "gift",
  99: "place-99"
}

const key = (idempotencyKey: string) => ({ idempotencyKey })

/** The calls of a shop, alone and several at once. */
const callAll = async (petstore: Petstore, client: ShopClient): Promise<void> => {
  const placing = (quantity: number) => () => petstore.orders.place({ petId: 1, quantity }, key(`place-${quantity}`))
  const place = (quantity: number) => client.call(`place-${quantity}`, placing(quantity))
  // Without a key, so that a COMMIT that is lost and made again would show as two orders.
  const once = (quantity: number) =>
    client.once(`once-${quantity}`, () => petstore.orders.place({ petId: 1, quantity }))
  const cart = (step: string, ...quantities: ReadonlyArray<number>) =>
    client.call(step, () =>
      petstore.orders.placeAll(
        quantities.map((quantity) => ({ petId: 1, quantity })),
        key(step)
      )
    )
  const adjust = (step: string, delta: number) =>
    client.call(step, () => petstore.inventory.adjust(1, { delta, reason: "received" }, key(step)))
  await client.call("consume", () =>
    petstore.events.consume(
      "gifts",
      (event) =>
        client
          .call("gift", () => petstore.orders.place({ petId: 1, quantity: 21 }, key(`gift-${event.id}`)))
          .then(() => undefined),
      { types: ["order.completed"], after: 0, onError: () => {} }
    )
  )
  const { id = 0 } = (await place(1)) ?? {}
  await client.call("amend", () => petstore.orders.update(id, { quantity: 2 }, key("amend")))
  await client.call("complete", () => petstore.orders.complete(id, key("complete")))
  const canceled = await place(3)
  await client.call("cancel", () => petstore.orders.cancel(canceled?.id ?? 0, key("cancel")))
  await once(7)
  await adjust("adjust", 10)
  await cart("cart", 4, 5)
  await client.call("transaction", () =>
    petstore.transaction(
      async (tx) => {
        await tx.inventory.adjust(1, { delta: 1, reason: "received" })
        return (await tx.orders.place({ petId: 1, quantity: 6 })).id
      },
      { ...key("transaction"), retries: 3 }
    )
  )
  await Promise.all([
    ...[11, 12].map(once),
    ...[13, 14].map(place),
    ...[1, 2, 3].map((number) =>
      client.call(`scarce-${number}`, () =>
        petstore.orders
          .place({ petId: 2, quantity: 2 }, key(`scarce-${number}`))
          .catch((error) => (error instanceof InsufficientStock ? undefined : Promise.reject(error)))
      )
    ),
    adjust("adjust-2", 100),
    cart("cart-2", 17, 18)
  ])
  const end = performance.now() + patience
  while (!client.acknowledged.has("gift") && performance.now() < end) await sleep(5)
  await place(99)
}

/** What is wrong with what is stored, as a petstore without a proxy finds it. */
const storedFindings = async (direct: Petstore, client: ShopClient): Promise<ReadonlyArray<string>> => {
  const { checks, ok } = await direct.verify()
  const orders = (await direct.orders.list({ limit: 100 })).items
  const has = (...names: ReadonlyArray<string>) => names.every((name) => client.acknowledged.has(name))
  const ofMany = orders.filter(({ petId }) => petId === 1)
  const count = (quantity: number) => ofMany.filter((order) => order.quantity === quantity).length
  const isOnce = ([quantity, step]: [string, string]): ReadonlyArray<string> => {
    const found = count(Number(quantity))
    const code = client.codeOf(step)
    if (found === 1 ? code === undefined || code === "commit_unknown" : found === 0 && code !== undefined) return []
    return [`${step} (${code ?? "acknowledged"}): ${found} orders of ${quantity}`]
  }
  const expect = (name: string, found: unknown, expected: unknown): ReadonlyArray<string> =>
    found === expected ? [] : [`${name} is ${found} and should be ${expected}`]
  const unacknowledged = new Set(Object.values(steps).filter((step) => !step.startsWith("once") && !has(step)))
  const scarce = orders.filter(({ petId }) => petId === 2)
  const sold = scarce.reduce((sum, { quantity = 0 }) => sum + quantity, 0)
  const { quantity: onHand } = await direct.inventory.get(1)
  return [
    ...(ok ? [] : [`verify: ${JSON.stringify(checks.filter(({ violations }) => violations > 0))}`]),
    ...Object.entries(steps).flatMap(isOnce),
    ...[...unacknowledged].map((step) => `not healed: ${step} ${client.codeOf(step)}`),
    ...expect("whether the order is complete", ofMany.find(({ quantity }) => quantity === 2)?.complete, true),
    ...expect("the number of canceled orders that are there", count(3), 0),
    ...expect("the stock on hand", onHand, many - 2 + 10 + 1 + 100),
    ...(sold > few ? [`oversold: ${sold} of ${few}`] : []),
    ...expect("the number of orders of the scarce pet", scarce.length, 2)
  ]
}

/** Runs the scenario in an empty schema through a proxy, at which one message does not pass as it should. */
export const runShop = async (url: string, schema: string, fault?: MessageFault): Promise<ShopRun> => {
  const proxy = await TcpProxy.listen(Number(new URL(url).port))
  const direct = await createPetstore({ storage: postgres({ url, schema, maxConnections: 2 }) })
  const client = new ShopClient()
  try {
    const { id: categoryId } = await direct.categories.create({ name: "Dogs" })
    for (const [index, onHand] of [many, few].entries()) {
      await direct.pets.create({ name: `Rex ${index}`, categoryId })
      await direct.inventory.set(index + 1, onHand)
    }
    proxy.countMessages(fault)
    const options = { url: proxy.url(url), schema, maxConnections: 4, ...timeouts }
    const petstore = await client.call("open", () => openPetstore(silent(postgres(options))))
    if (petstore === undefined) throw new Error(`Cannot open: ${client.codeOf("open")}`)
    await callAll(petstore, client)
    await client.once("close", () => petstore.close())
    const { counts = { client: 0, server: 0, connection: 0 }, failed } = proxy
    const isCutInCommit = failed?.inCommit === true && fault?.error.startsWith("cut") === true
    const findings = [...client.findings(isCutInCommit), ...(await storedFindings(direct, client))]
    const lines = client.rejections.map(({ code, step, text }) => `rejected ${step} ${code} ${text}`)
    return { counts, failed: failed?.type, lines, findings }
  } finally {
    await direct.close()
    await proxy.close()
  }
}
