import type { ServerResponse } from "node:http"
import type { Engine } from "@petstore/core/services"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { checkHandlerOptions } from "./checkOptions.ts"
import { Host } from "./Host.ts"
import type { HandlerOptions } from "./Options.ts"
import type { Connection } from "./transport/Connection.ts"
import { FetchIncoming } from "./transport/FetchIncoming.ts"
import { NodeIncoming, type NodeRequest } from "./transport/NodeIncoming.ts"

/** The REST API as functions, to be mounted in any server. */
export interface PetstoreHandler {
  /** For `node:http` and all that is built on it. What parsers of the host have made of a body is taken from `request.body`. */
  readonly node: (request: NodeRequest, response: ServerResponse) => void
  /** For all that speaks the Fetch standard. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Refuses new requests with `shutting_down`, and waits for those that have begun. The petstore itself stays open. */
  readonly close: () => Promise<void>
}

/** Hands a request of node:http to a host. */
export const handleNode = (
  host: Host,
  request: NodeRequest,
  response: ServerResponse,
  awaitsContinue?: boolean,
  connection?: Connection
): void => {
  const abandon = host.handle(new NodeIncoming(request, response, awaitsContinue, connection))
  if (abandon !== undefined) response.once("close", abandon)
}

const handleFetch = (host: Host, request: Request): Promise<Response> =>
  new Promise((resolve) => {
    const abandon = host.handle(new FetchIncoming(request, resolve))
    if (abandon !== undefined) request.signal.addEventListener("abort", abandon, { once: true })
  })

/** The handler of a host. */
export const handlerOf = (host: Host): PetstoreHandler => ({
  node: (request, response) => handleNode(host, request, response),
  fetch: (request) => handleFetch(host, request),
  close: () => Effect.runPromise(host.close)
})

/** Builds the REST API of an engine. */
export const makeHandler = (options: HandlerOptions = {}): Effect.Effect<PetstoreHandler, never, Engine> =>
  Effect.map(Effect.context<Engine>(), (engine: Context.Context<Engine>) => {
    checkHandlerOptions("makeHandler", options)
    return handlerOf(new Host(engine, options))
  })
