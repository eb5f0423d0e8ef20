// The program of a peer: `node main.ts NAME DRIVER KEYS FILE`, where KEYS are read for each request or kept. Says where it listens in the way that `petstore serve` does.

import type { AddressInfo } from "node:net"
import { type Driver, openDatabase } from "./Database.ts"
import { express } from "./express.ts"
import { fastify } from "./fastify.ts"
import { claimFinders, guard } from "./Guard.ts"
import { expert, node } from "./node.ts"
import type { Peer } from "./Peer.ts"
import { openShop } from "./Shop.ts"

const peers: Readonly<Record<string, Peer>> = { fastify, express, node, expert }

const [, , name = "", driver = "node:sqlite", keys = "read", file = ""] = process.argv
const peer = peers[name]
if (peer === undefined) throw new TypeError(`There is no peer ${name}; they are ${Object.keys(peers)}`)
const database = openDatabase(driver as Driver, file)
const findClaim = claimFinders[keys as keyof typeof claimFinders](database)
const server = await peer({ database, guard: guard(findClaim, 1_000_000_000), shop: openShop(database) })
const { port } = server.address() as AddressInfo
console.error(`listening on http://127.0.0.1:${port}`)
