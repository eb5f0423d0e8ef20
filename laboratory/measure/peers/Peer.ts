import type { Server } from "node:http"
import type { Database } from "./Database.ts"
import type { Guard } from "./Guard.ts"
import type { Shop } from "./Shop.ts"

/** What every peer is written with. */
export interface PeerInput {
  readonly database: Database
  readonly guard: Guard
  readonly shop: Shop
}

/** Starts a server on a free port of 127.0.0.1. */
export type Peer = (input: PeerInput) => Promise<Server>

/** Listens on a free port. */
export const listening = (server: Server): Promise<Server> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server))
  })
