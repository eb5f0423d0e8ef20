import type { Petstore } from "@petstore/core"
import { runtimeOf } from "@petstore/core/effect"
import { checkHandlerOptions } from "./checkOptions.ts"
import { Host } from "./Host.ts"
import { handlerOf, type PetstoreHandler } from "./makeHandler.ts"
import type { HandlerOptions } from "./Options.ts"

/**
 * Builds the REST API of a petstore, to be mounted in any server.
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
 * // When it is time to end:
 * await handler.close()
 * server.close()
 * await petstore.close()
 * ```
 */
export const createHandler = (petstore: Petstore, options: HandlerOptions = {}): PetstoreHandler => {
  checkHandlerOptions("createHandler", options)
  const engine = runtimeOf(petstore).cachedContext
  if (engine === undefined) throw new TypeError("This petstore is closed")
  return handlerOf(new Host(engine, options))
}
