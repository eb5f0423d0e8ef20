import type { ServerResponse } from "node:http"
import type { Petstore } from "@petstore/core"
import { checkRest, MalformedRequest, shown } from "@petstore/core/domain"
import { runtimeOf } from "@petstore/core/effect"
import { Storage } from "@petstore/core/ports"
import { notItsOwn, type Runtime, TransactionBody } from "@petstore/core/runtime"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { AppFault, type HttpRequest } from "./HttpRequest.ts"
import { ResponseThrottle } from "./limits/ResponseThrottle.ts"
import { checkCreateHandlerOptions, checkMakeHandlerOptions, type HandlerOptions } from "./options.ts"
import { RequestHandler } from "./RequestHandler.ts"
import { ignoreRejection, used } from "./transport/appObjects.ts"
import { FetchHttpRequest } from "./transport/FetchHttpRequest.ts"
import { cut, MountedRequest } from "./transport/MountedRequest.ts"
import { Pipelines } from "./transport/Pipelines.ts"
import { malformation, type NodeRequest } from "./transport/requestHead.ts"

/** The REST API as functions, to be mounted in any server. */
export interface PetstoreHandler {
  /** For `node:http` and frameworks on it. If a body parser has read the body, it is taken from `request.body`. */
  readonly node: (request: NodeRequest, response: ServerResponse) => void
  /** For frameworks that pass a `Request` of the Fetch standard. */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * Authenticates the callers of all open streams of events again, and ends the streams of those who are refused or whose scopes have
   * changed. Call it after a logout: without it, that happens within 5 seconds, and with API keys within a second. Waits for 5 seconds at most.
   */
  readonly checkStreams: () => Promise<void>
  /** Rejects new requests with `shutting_down`, and waits for those that have begun. The petstore itself stays open. */
  readonly close: () => Promise<void>
}

const notNode =
  "handler.node takes a request and a response of node:http. Pass the function itself, such as app.use(handler.node); in a framework on the Fetch standard, use handler.fetch."

const notFetch = (request: unknown): string =>
  `handler.fetch takes a Request, such as new Request("https://pets.example/v1/pets"), not ${shown(request)}`

const handlerOf = (runtime: Context.Context<Runtime>, options: HandlerOptions): PetstoreHandler => {
  const handler = new RequestHandler(runtime, options, undefined, new ResponseThrottle())
  const pipelines = new Pipelines()
  const owner = Context.get(runtime, Storage)
  /** Handles a request, unless the body of a transaction has made it: what it changes would not belong to the transaction. */
  const handle = (request: HttpRequest): void => {
    if (TransactionBody.isCalling(owner)) handler.reject(request, new AppFault(notItsOwn))
    else handler.handle(request)
  }
  return {
    node: (request, response) => {
      // What the object throws must not reach the app's server.
      if (!("writeHead" in Object(response))) throw new TypeError(notNode)
      try {
        const socket = used(request.socket)
        if (pipelines.isClosed(socket)) return
        if (pipelines.isExcess(socket, response)) {
          pipelines.close(socket)
          ignoreRejection(socket.destroy())
          return
        }
        const received = new MountedRequest(request, response, handler.abandon, pipelines)
        if (received.isSent) return received.reportSent()
        const message = malformation(received.head)
        if (message === undefined) return handle(received)
        pipelines.close(socket)
        handler.reject(received, new MalformedRequest({}, { message }))
        // The parser may fail at what follows, for which the app's server would respond a second time.
        if (used(response.writableEnded) && used(response.socket) === socket) ignoreRejection(socket.end())
      } catch (cause) {
        handler.abandon({ abort: () => cut(response, () => request.socket) }, cause)
      }
    },
    fetch: (given, ...[init]: ReadonlyArray<unknown>) =>
      new Promise((resolve, reject) => {
        // As the option fetch of a client calls it. Servers pass something of theirs behind a Request.
        const request: Request = typeof given === "string" ? new Request(given, init as RequestInit) : given
        if (typeof used(used(Object(request).headers)?.get) !== "function") throw new TypeError(notFetch(request))
        handle(new FetchHttpRequest(request, resolve, reject))
      }),
    checkStreams: () => Effect.runPromise(handler.checkStreams),
    close: () => Effect.runPromise(handler.close)
  }
}

/**
 * Makes the REST API of a petstore, to be mounted in any server.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http"
 * import { createPetstore } from "@petstore/core"
 * import { createHandler } from "@petstore/http"
 *
 * const petstore = await createPetstore()
 * const handler = createHandler(petstore)
 * const server = createServer(handler.node).listen(0)
 *
 * // When your app stops:
 * await handler.close()
 * server.close()
 * await petstore.close()
 * ```
 */
export const createHandler: (petstore: Petstore, options?: HandlerOptions) => PetstoreHandler = (
  petstore,
  options = {},
  more?: unknown
) => {
  checkRest("createHandler", "petstore, { cors }", more, 2)
  checkCreateHandlerOptions(options)
  const runtime = runtimeOf(petstore).cachedContext
  if (runtime === undefined) throw new TypeError("This petstore is closed")
  return handlerOf(runtime, options)
}

/** Makes the REST API of a petstore, to be mounted in any server. */
export const makeHandler = (options: HandlerOptions = {}): Effect.Effect<PetstoreHandler, never, Runtime> =>
  Effect.map(Effect.context<Runtime>(), (runtime) => {
    checkMakeHandlerOptions(options)
    return handlerOf(runtime, options)
  })
