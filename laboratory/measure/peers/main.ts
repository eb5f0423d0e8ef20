// The program of a peer: `node main.ts NAME FILE`. Says where it listens in the way that `petstore serve` does.

import type { AddressInfo } from "node:net"
import { type Driver, openDatabase } from "./Database.ts"
import { claimFinders, guard } from "./Guard.ts"
import type { Peer } from "./Peer.ts"
import { openShop, type Shop } from "./Shop.ts"

interface Kind {
  readonly driver?: Driver
  /** Whether keys are kept between requests, as an expert does; most read them for each one. */
  readonly keys?: keyof typeof claimFinders
  readonly load: () => Promise<Peer>
}

const [, , name = "", file = ""] = process.argv

/** Only the modules of the peer that runs are loaded. */
const kinds: Readonly<Record<string, Kind>> = {
  node: { keys: "keep", load: async () => (await import("./node.ts")).node },
  expert: { keys: "keep", load: async () => (await import("./node.ts")).expert },
  fastify: { load: async () => (await import("./fastify.ts")).fastify },
  express: { load: async () => (await import("./express.ts")).express },
  hono: { load: async () => (await import("./hono.ts")).hono },
  drizzle: {
    driver: "better-sqlite3",
    load: async () => {
      const { drizzleShop } = await import("./drizzle.ts")
      const { hono } = await import("./hono.ts")
      return (input) => hono({ ...input, shop: drizzleShop(input.database) as Shop })
    }
  },
  prisma: {
    driver: "better-sqlite3",
    load: async () => {
      const { prismaShop } = await import("./prisma.ts")
      const { serveByHono } = await import("./hono.ts")
      return async ({ guard }) => serveByHono(guard, await prismaShop(file))
    }
  }
}

const kind = kinds[name]
if (kind === undefined) throw new TypeError(`There is no peer ${name}; they are ${Object.keys(kinds)}`)
const { driver = "node:sqlite", keys = "read", load } = kind
const peer = await load()
const database = openDatabase(driver, file)
const server = await peer({
  database,
  guard: guard(claimFinders[keys](database), 1_000_000_000),
  shop: openShop(database)
})
const { port } = server.address() as AddressInfo
console.error(`listening on http://127.0.0.1:${port}`)
