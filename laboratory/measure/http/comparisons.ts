import type { Load, Mix } from "../../load/requests.ts"
import type { Comparison } from "../Comparison.ts"
import { checkAgreement } from "./agreement.ts"
import { peers, petstore, type RunningServer, type Server, serverSide, shopIn } from "./ServerProcess.ts"

const { drizzle, expert, express, fastify, hono, node, prisma } = peers

interface Requests extends Pick<Comparison, "does" | "figures" | "why"> {
  readonly mix: Mix
  readonly connections: number
  /** Milliseconds of a sync; 0.1 if undefined. */
  readonly sync?: number
  readonly peers: ReadonlyArray<Server>
}

const requests = ({ connections, mix, peers, sync = 0.1, ...rows }: Requests): Comparison<RunningServer> => {
  const load = { mix, connections }
  return {
    ...rows,
    sides: [serverSide(petstore, sync, load), ...peers.map((server) => serverSide(server, sync, load))],
    // A sync of 5 ms leaves few responses in less.
    seconds: sync > 1 || connections === 1 ? 0.6 : 0.4,
    check: async (running, context) => checkAgreement(running, mix, (await shopIn(context)).key)
  }
}

/** Nine of ten requests read, at 80 percent of the rate that Fastify reaches. */
const mixed = (sync: number): Comparison<RunningServer> => {
  const load: Pick<Load, "connections" | "mix"> & { rate?: number } = { mix: "mixed", connections: 64 }
  return {
    does: `mixed, ${sync} ms`,
    sides: [serverSide(petstore, sync, load), serverSide(fastify, sync, load)],
    figures: ["p50", "p99"],
    why: "mixed",
    seconds: 0.8,
    check: async (running, context) => {
      await checkAgreement(running, "mixed", (await shopIn(context)).key)
      const [, reference] = running
      const warm = await reference?.run({ seconds: context.isQuick ? 0.2 : 1.5 })
      const alone = (await reference?.run({ seconds: context.isQuick ? 0.2 : 1 })) ?? warm
      load.rate = Math.round(0.8 * ((alone?.responses ?? 0) / (alone?.seconds ?? 1)))
    }
  }
}

/** CPU of an order on many connections, of one on fewer. */
const crowd = (): Comparison<RunningServer> => {
  const of = (name: string, connections: number) => serverSide({ ...petstore, name }, 1, { mix: "order", connections })
  return {
    does: "order, 256 connections",
    sides: [of("ours", 256), of("64", 64)],
    figures: ["cpu"],
    why: "crowd"
  }
}

const order = { mix: "order", why: "layers" } as const

export const httpComparisons: ReadonlyArray<Comparison<RunningServer>> = [
  requests({
    does: "GET a pet",
    mix: "pet",
    connections: 32,
    peers: [expert, fastify, hono, drizzle, prisma],
    figures: ["rate", ["memory", "Fastify"]],
    why: "layers"
  }),
  requests({
    does: "pages of a list",
    mix: "list",
    connections: 32,
    peers: [expert, fastify],
    figures: ["rate", ["p99", "by hand"]],
    why: "layers"
  }),
  requests({
    ...order,
    does: "order, 0.1 ms",
    connections: 64,
    peers: [expert, fastify],
    figures: ["rate", ["memory", "Fastify"]]
  }),
  requests({
    ...order,
    does: "order",
    connections: 64,
    sync: 1,
    peers: [expert, fastify, hono, drizzle, prisma, express]
  }),
  requests({ ...order, does: "order, 5 ms", connections: 64, sync: 5, peers: [expert, fastify] }),
  requests({ ...order, does: "order, 256 connections, 0.1 ms", connections: 256, peers: [expert] }),
  requests({
    ...order,
    does: "order, 256 connections",
    connections: 256,
    sync: 1,
    peers: [expert],
    figures: ["rate", "p99"]
  }),
  crowd(),
  requests({
    ...order,
    does: "order, 1 connection, 0.1 ms",
    connections: 1,
    peers: [node],
    figures: ["rate", "cpu"],
    why: "cold"
  }),
  requests({ ...order, does: "order, 1 connection", connections: 1, sync: 1, peers: [node], why: "cold" }),
  requests({ ...order, does: "order, 1 connection, 5 ms", connections: 1, sync: 5, peers: [node], why: "cold" }),
  requests({
    does: "order with a key",
    mix: "orderOnce",
    connections: 64,
    sync: 1,
    peers: [expert],
    why: "layers"
  }),
  requests({
    does: "order that expires",
    mix: "orderReserved",
    connections: 64,
    sync: 1,
    peers: [expert],
    why: "layers"
  }),
  requests({ does: "20 orders at once", mix: "batch", connections: 64, sync: 1, peers: [expert], why: "layers" }),
  mixed(0.1),
  mixed(1)
]
