import type { Petstore } from "@petstore/core"
import type { AppServer } from "./AppServer.ts"
import { clientOf } from "./clientOf.ts"
import type { Acknowledged, Journal } from "./Journal.ts"
import type { Shop } from "./shop.ts"
import { until } from "./until.ts"

/** Something that must hold at the end, with what speaks against it. */
export interface Check {
  readonly name: string
  readonly violations: ReadonlyArray<string>
}

const check = (name: string, violations: ReadonlyArray<string | false>): Check => ({
  name,
  violations: violations.filter((violation) => violation !== false)
})

const missingFrom = (found: ReadonlySet<number>, ids: Iterable<number>): ReadonlyArray<number> =>
  [...ids].filter((id) => !found.has(id))

/** Subscribers hear of a commit soon after it. */
const subscriberSeconds = 10

const checkSubscriber = async (
  server: AppServer,
  latest: number,
  acknowledged: ReadonlySet<number>
): Promise<Check> => {
  const last = await until(`the subscriber of ${server.name}`, subscriberSeconds, async () => {
    const report = await server.report()
    return report.position >= latest ? report : undefined
  }).catch(() => server.report())
  const placed = new Set(last.placed)
  return check(
    `subscriber of ${server.name}: events 1 to ${latest}, each once and in order (${last.failedReads} reads failed)`,
    [
      last.position !== latest && `it has seen ${last.position} of ${latest}`,
      ...last.disorder,
      placed.size !== last.placed.length && "it heard twice of an order",
      placed.size !== acknowledged.size &&
        `it heard of ${placed.size} orders, and ${acknowledged.size} are acknowledged`
    ]
  )
}

export const checkOrders = async (
  petstore: Petstore,
  { acknowledged, completed, unsettled }: Journal
): Promise<Check> => {
  const stored = new Map<number, { readonly petId?: number | undefined; readonly complete: boolean }>()
  for await (const order of petstore.orders.all({ limit: 100 })) stored.set(order.id, order)
  const ids = acknowledged.map(({ orderId }) => orderId)
  const lost = missingFrom(new Set(stored.keys()), ids)
  const unknown = missingFrom(new Set(ids), stored.keys())
  const differing = acknowledged.filter(
    ({ orderId, petId }) => stored.has(orderId) && stored.get(orderId)?.petId !== petId
  )
  const incomplete = [...completed].filter((id) => stored.get(id)?.complete !== true)
  return check(`${ids.length} acknowledged orders are stored, and no others: one for each key`, [
    lost.length > 0 && `${lost.length} acknowledged orders are lost: ${lost.slice(0, 10)}`,
    unknown.length > 0 &&
      unsettled.length === 0 &&
      `${unknown.length} orders belong to no key: ${unknown.slice(0, 10)}`,
    new Set(ids).size !== ids.length && "two keys were acknowledged the same order",
    differing.length > 0 && `${differing.length} orders are of another pet`,
    incomplete.length > 0 && `${incomplete.length} orders were completed and are not: ${incomplete.slice(0, 10)}`,
    unsettled.length > 0 && `${unsettled.length} orders had no result until the end`
  ])
}

/** Sends some requests again, each to the next server. */
const checkReplays = async (servers: ReadonlyArray<AppServer>, sample: ReadonlyArray<Acknowledged>): Promise<Check> => {
  const wrong: Array<string> = []
  for (const { key, orderId, petId, server } of sample) {
    const other = servers[(servers.indexOf(server) + 1) % servers.length] ?? server
    const { id } = await clientOf(other).orders.place({ petId, quantity: 1 }, { idempotencyKey: key })
    if (id !== orderId) wrong.push(`${key}: order ${orderId} from ${server.name}, order ${id} from ${other.name}`)
  }
  return check(`${sample.length} keys sent again to another server return the same order`, wrong)
}

export const checkStock = async (
  petstore: Petstore,
  { pets }: Shop,
  { acknowledged, completed, refused }: Journal
): Promise<Check> => {
  const violations: Array<string> = []
  for (const { id, units } of pets) {
    const orders = acknowledged.filter(({ petId }) => petId === id)
    const sold = orders.length
    const shipped = orders.filter(({ orderId }) => completed.has(orderId)).length
    const { available, quantity } = await petstore.inventory.get(id)
    if (available !== units - sold) violations.push(`pet ${id}: ${units} units, ${sold} sold, ${available} left`)
    if (quantity !== units - shipped)
      violations.push(`pet ${id}: ${units} units, ${shipped} shipped, ${quantity} on hand`)
    const isSoldOut = sold === units
    const count = refused.filter(({ petId }) => petId === id).length
    if (count > 0 && !isSoldOut)
      violations.push(`pet ${id}: ${count} orders refused, and ${units - sold} units are left`)
  }
  return check("stock is exact, and orders are refused only when nothing is left", violations)
}

const checkRules = async (petstore: Petstore): Promise<Check> => {
  const { checks } = await petstore.verify()
  return check(
    `verify: ${checks.length} rules`,
    checks.filter(({ violations }) => violations > 0).map(({ rule, violations }) => `${rule}: ${violations}`)
  )
}

/** Compares what the callers and subscribers know with what is stored. */
export const checkAll = async (
  petstore: Petstore,
  servers: ReadonlyArray<AppServer>,
  shop: Shop,
  journal: Journal
): Promise<ReadonlyArray<Check>> => {
  const latest = await petstore.events.latest()
  const acknowledged = new Set(journal.acknowledged.map(({ orderId }) => orderId))
  return [
    await checkOrders(petstore, journal),
    await checkReplays(servers, journal.acknowledged.slice(-100)),
    await checkStock(petstore, shop, journal),
    await checkRules(petstore),
    ...(await Promise.all(
      servers.filter(({ subscribes }) => subscribes).map((server) => checkSubscriber(server, latest, acknowledged))
    )),
    check("no caller saw an error that it should not", journal.unexpected.slice(0, 10)),
    check(
      "every application server ran to the end",
      servers.map(({ isRunning, name }) => !isRunning && `${name} ended`)
    )
  ]
}
