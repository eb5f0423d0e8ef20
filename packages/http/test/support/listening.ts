import { createServer, type RequestListener } from "node:http"
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
