import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** One address in front of several servers. Each request goes to the next server, as load balancers do it. */
export interface RoundRobin {
  /** The address, without a path. */
  readonly origin: string
}

/** The response of a load balancer whose server is gone. */
const badGateway = (response: ServerResponse): void => {
  if (response.headersSent) response.destroy()
  else response.writeHead(502).end()
}

const forward = (from: IncomingMessage, body: Buffer, to: ServerResponse, origin: string): void => {
  const { hostname, port } = new URL(origin)
  const { headers, method, url: path } = from
  const outgoing = request({ hostname, port, method, path, headers, agent: false }, (incoming) => {
    to.writeHead(incoming.statusCode ?? 502, incoming.headers)
    incoming.on("error", () => to.destroy())
    incoming.pipe(to)
  })
  outgoing.on("error", () => badGateway(to))
  outgoing.end(body)
}

/** Starts the address; it ends with the scope. `origins`: the servers, which may come and go; at least one. */
export const startRoundRobin = (
  origins: () => ReadonlyArray<string>
): Effect.Effect<RoundRobin, never, Scope.Scope> => {
  let turn = 0
  const server = createServer((from, to) => {
    const chunks: Array<Buffer> = []
    from.on("data", (chunk) => chunks.push(chunk))
    from.on("end", () => {
      const all = origins()
      const origin = all[turn++ % all.length]
      if (origin === undefined) badGateway(to)
      else forward(from, Buffer.concat(chunks), to, origin)
    })
  })
  return Effect.acquireRelease(
    Effect.callback<RoundRobin>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ origin: `http://127.0.0.1:${port}` }))
      })
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
}
