import type { BenchContext, RowGroup } from "../Bench.ts"
import { type Row, rowOf, type Target } from "../report/Row.ts"
import { quantile } from "../report/statistics.ts"
import type { Turns } from "../turns.ts"
import { checkThatContendersAgree } from "./agreement.ts"
import { Clients } from "./Clients.ts"
import type { Mix } from "./Load.ts"
import { alternate, type Round, type RoundOptions } from "./rounds.ts"
import { type Contender, peers as contenders, petstore, type ServerProcess, startServer } from "./ServerProcess.ts"
import { makeShop, type ShopFile } from "./Shop.ts"

const { bareNode, bareNodeBetter, expert, expertWithKeys, express, fastify, fastifyBetter } = contenders

/** A peer, what the ratio to it has to be, and that of the 99th percentile, if it is a row. */
type Against = readonly [peer: Contender, target?: Target, p99?: Target]

const pets = 10_000
/** Milliseconds that a sync takes in rows that do not vary it. */
const usualSync = 0.1

/** Starts ours and the peers, and stops them after the measurement. */
const withServers = async <A>(
  context: BenchContext,
  peers: ReadonlyArray<Contender>,
  sync: number,
  measure: (servers: ReadonlyArray<ServerProcess>, clients: Clients, shop: ShopFile) => Promise<A>
): Promise<A | undefined> => {
  const env = context.syncDelay.environment(sync)
  if (env === undefined) {
    context.note(`rows with ${sync} ms a sync are left out: they need Linux, /dev/shm and a C compiler (cc)`)
    return undefined
  }
  const shop = await shopIn(context)
  const before = context.before === undefined ? [] : [petstore(context.before, "before")]
  const clients = new Clients()
  const servers: Array<ServerProcess> = []
  try {
    for (const contender of [petstore(), ...peers, ...before]) {
      servers.push(await startServer(contender, shop, context.folder, env))
    }
    await checkThatContendersAgree(servers, shop)
    return await measure(servers, clients, shop)
  } finally {
    clients.stop()
    await Promise.all(servers.map((server) => server.stop()))
  }
}

const shops = new Map<string, Promise<ShopFile>>()
const shopIn = ({ folder }: BenchContext): Promise<ShopFile> => {
  const shop = shops.get(folder) ?? makeShop(folder, pets)
  shops.set(folder, shop)
  return shop
}

const optionsOf = ({ isQuick }: BenchContext, mix: Mix, connections: number, seconds = 0.5): RoundOptions => ({
  mix,
  connections,
  rounds: isQuick ? 3 : 15,
  seconds: isQuick ? 0.3 : seconds,
  warmUp: isQuick ? 1_000 : 25_000
})

const medianOf = (rounds: ReadonlyArray<Round>, of: (round: Round) => number): number => quantile(rounds.map(of), 0.5)
const rateOf = ({ rate }: Round): number => rate
const p99Of = ({ p99 }: Round): number => p99
const cpuOf = ({ cpu }: Round): number => cpu

const compare = (
  row: string,
  unit: string,
  servers: ReadonlyArray<ServerProcess>,
  { disturbed, results }: Turns<Round>,
  of: (round: Round) => number,
  targets: ReadonlyArray<Target | undefined>
): ReadonlyArray<Row> => {
  const [ours = [], ...others] = results
  return others.map((peer, index) =>
    rowOf({
      row,
      unit,
      peerName: servers[index + 1]?.name ?? "",
      ours: ours.map(of),
      peer: peer.map(of),
      target: targets[index],
      disturbed,
      processor: [medianOf(ours, cpuOf), medianOf(peer, cpuOf)]
    })
  )
}

/** Rows of responses per second, with every connection sending its next request with each response. */
const throughput = (
  name: string,
  row: string,
  mix: Mix,
  connections: number,
  sync: number,
  against: ReadonlyArray<Against>
): RowGroup => ({
  name,
  measure: async (context) =>
    (await withServers(
      context,
      against.map(([peer]) => peer),
      sync,
      async (servers, clients, shop) => {
        // A commit of 5 ms leaves few responses in half a second.
        const turns = await alternate(servers, clients, shop, optionsOf(context, mix, connections, sync >= 1 ? 1 : 0.5))
        const targets = against.map(([, target]) => target)
        const tails = against.map(([, , p99]) => p99)
        return [
          ...compare(row, "responses/s", servers, turns, rateOf, targets),
          ...compare(`${row}, p99`, "ms", servers, turns, p99Of, tails).filter(({ target }) => target !== undefined)
        ]
      }
    )) ?? []
})

/** The 99th percentile of a mixed load, at 80 percent of what Fastify can do. */
const mixed = (sync: number, against: ReadonlyArray<Against>): RowGroup => ({
  name: "mixed",
  measure: async (context) =>
    (await withServers(
      context,
      against.map(([peer]) => peer),
      sync,
      async (servers, clients, shop) => {
        const options = optionsOf(context, "mixed", 64, 1)
        const [, reference] = servers
        if (reference === undefined) return []
        const { results: alone } = await alternate([reference], clients, shop, { ...options, rounds: 5 })
        const rate = Math.round(medianOf(alone.flat(), rateOf) * 0.8)
        const turns = await alternate(servers, clients, shop, { ...options, rate })
        return compare(
          `mixed 90/10, p99 at ${rate}/s, ${sync} ms a sync`,
          "ms",
          servers,
          turns,
          p99Of,
          against.map(([, target]) => target)
        )
      }
    )) ?? []
})

/** Resident memory while 32 connections read, or order, for a few seconds. */
const memory = (mix: "pet" | "order", row: string): RowGroup => ({
  name: "memory",
  measure: async (context) =>
    (await withServers(context, [fastify], usualSync, async (servers, clients, shop) => {
      const options = { ...optionsOf(context, mix, 32), rounds: context.isQuick ? 2 : 5, seconds: 2 }
      const turns = await alternate(servers, clients, shop, options)
      return compare(row, "MB", servers, turns, ({ rss }) => rss / 2 ** 20, [{ atMost: 1.5 }])
    })) ?? []
})

const least = (atLeast: number): Target => ({ atLeast })
const most = (atMost: number): Target => ({ atMost })
const syncs = [0.1, 1, 5] as const

export const httpRows: ReadonlyArray<RowGroup> = [
  throughput("pet", "GET one pet, 32 connections", "pet", 32, usualSync, [
    [fastify, least(1.2)],
    [bareNode, least(1)],
    [expertWithKeys],
    [fastifyBetter],
    [bareNodeBetter],
    [express]
  ]),
  throughput("pet", "GET a pet and its stock, 32 connections", "petWithStock", 32, usualSync, [
    [fastify, least(1.2)],
    [bareNode, least(1)],
    [expertWithKeys]
  ]),
  throughput("list", "list of 20 by status, 32 connections", "list", 32, usualSync, [
    [fastify, least(1.1), most(1)],
    [bareNode],
    [expertWithKeys],
    [fastifyBetter],
    [express]
  ]),
  ...syncs.map((sync) =>
    throughput("order", `POST order, 64 connections, ${sync} ms a sync`, "order", 64, sync, [
      [expert, least(0.95)],
      [expertWithKeys],
      [fastify]
    ])
  ),
  ...syncs.map((sync) =>
    throughput("order1", `POST order, 1 connection, ${sync} ms a sync`, "order", 1, sync, [
      [fastify, least(0.9)],
      [bareNode]
    ])
  ),
  ...syncs.map((sync) => mixed(sync, [[fastify, most(0.5)], [expert], [expertWithKeys]])),
  memory("pet", "memory under GET, 32 connections"),
  memory("order", "memory under POST, 32 connections")
]
