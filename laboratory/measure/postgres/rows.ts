import type { RowGroup } from "../Bench.ts"
import { events } from "./events.ts"
import { orders } from "./orders.ts"
import { Server } from "./server.ts"
import { servers } from "./servers.ts"

/** Orders, several servers and subscribers, on a server of its own whose files are on the disk. */
export const postgresRows: ReadonlyArray<RowGroup> = [
  {
    name: "postgres",
    measure: async ({ isQuick }) => {
      const options = isQuick ? { rounds: 1, seconds: 0.3 } : { rounds: 5, seconds: 1 }
      const server = await Server.start()
      try {
        return [...(await orders(server, options)), ...(await servers(server, options)), ...(await events(server))]
      } finally {
        await server.stop()
      }
    }
  }
]
