import type { AddressInfo } from "node:net"
import { connect, createServer, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A proxy of TCP connections that a test can cut. */
export interface CuttingProxy {
  readonly port: number
  /** How many connections were made. */
  readonly count: () => number
  /** Cuts all connections. */
  readonly cut: () => void
}

/** Starts a proxy before a port. With `bytes`, it cuts each connection after as many bytes of responses as that returns. */
export const cuttingProxy = (
  target: number,
  bytes: () => number = () => Number.POSITIVE_INFINITY
): Effect.Effect<CuttingProxy, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const sockets = new Set<Socket>()
        let count = 0
        const cut = (): void => {
          for (const socket of sockets) socket.destroy()
        }
        const server = createServer((client) => {
          count++
          let left = bytes()
          const upstream = connect(target, "127.0.0.1")
          for (const socket of [client, upstream]) {
            sockets.add(socket)
            socket
              .on("error", () => {})
              .on("close", () => {
                sockets.delete(socket)
                client.destroy()
                upstream.destroy()
              })
          }
          client.pipe(upstream)
          upstream.on("data", (chunk: Buffer) => {
            client.write(chunk.subarray(0, Math.max(0, left)))
            left -= chunk.length
            if (left <= 0) client.destroySoon()
          })
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        const { port } = server.address() as AddressInfo
        return { server, proxy: { port, count: () => count, cut } }
      }),
      ({ proxy, server }) =>
        Effect.promise(async () => {
          const closed = new Promise((resolve) => server.close(resolve))
          proxy.cut()
          await closed
        })
    ),
    ({ proxy }) => proxy
  )
