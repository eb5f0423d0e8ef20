import type { Server } from "node:http"

/** Listens on a free port. */
export const listening = (server: Server): Promise<Server> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server))
  })
