import { once } from "node:events"
import { createServer, type Server } from "node:net"

// Below the ports that systems give to connections and to servers without one of their own: nothing else takes a port of these
// between the moment it is chosen and that in which a server binds it.
const first = 12_000
const blocks = 1_000
const blockSize = 20

const listenOn = async (port: number): Promise<Server | undefined> => {
  const server = createServer()
  const listening = once(server, "listening")
  server.listen(port, "127.0.0.1")
  return listening.then(
    () => server,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EADDRINUSE") throw error
      return undefined
    }
  )
}

/** A block of ports is that of the process that listens on its first one. */
const takeBlock = async (): Promise<number> => {
  const begin = process.pid % blocks
  for (let tried = 0; tried < blocks; tried++) {
    const block = first + ((begin + tried) % blocks) * blockSize
    const holder = await listenOn(block)
    if (holder === undefined) continue
    holder.unref()
    return block
  }
  throw new Error(`Other processes use all ports from ${first} on.`)
}

let block: Promise<number> | undefined
let last = 0

/** A port of 127.0.0.1 that nobody listens on, and that no other test gets before this process has asked for 18 more. */
export const freePort = async (): Promise<number> => {
  block ??= takeBlock()
  const own = await block
  for (let tried = 1; tried < blockSize; tried++) {
    last = (last % (blockSize - 1)) + 1
    const port = own + last
    const server = await listenOn(port)
    if (server === undefined) continue
    server.close()
    await once(server, "close")
    return port
  }
  throw new Error(`The servers of this process use all ports from ${own} on.`)
}
