import { once } from "node:events"
import { createServer, type Server } from "node:net"

// Below the ports that systems give to outgoing connections: a server that is down would find its port taken when it returns.
const lowest = 20_000
const highest = 32_000

const listenOn = async (port: number): Promise<Server | undefined> => {
  const server = createServer().listen(port, "127.0.0.1")
  return once(server, "listening").then(
    () => server,
    () => undefined
  )
}

/** So many ports of loopback that nobody listens on. */
export const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const held = new Map<number, Server>()
  while (held.size < count) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    const server = held.has(port) ? undefined : await listenOn(port)
    if (server !== undefined) held.set(port, server)
  }
  await Promise.all([...held.values()].map((server) => new Promise((resolve) => server.close(resolve))))
  return [...held.keys()]
}
