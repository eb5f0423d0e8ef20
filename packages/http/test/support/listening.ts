import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { createServer as createHttp2Server, type ServerHttp2Session } from "node:http2"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"

/** Starts a server, and returns its URL. */
export const listening = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer(listener).listen(0, "127.0.0.1", () => {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        resume(Effect.succeed({ url, close: () => server.close().closeAllConnections() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ url }) => url))

/** Starts a server of HTTP/2 without TLS, and returns its URL. */
export const listeningHttp2 = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const sessions = new Set<ServerHttp2Session>()
      const server = createHttp2Server((request, response) =>
        // Its objects are those of node:http for an app.
        listener(
          request as unknown as IncomingMessage,
          response as unknown as ServerResponse & { readonly req: IncomingMessage }
        )
      )
      server.on("session", (session) => sessions.add(session.on("close", () => sessions.delete(session))))
      server.listen(0, "127.0.0.1", () => {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        const close = (): void => {
          server.close()
          for (const session of sessions) session.destroy()
        }
        resume(Effect.succeed({ url, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ url }) => url))
