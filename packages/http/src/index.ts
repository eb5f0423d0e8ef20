/** The REST API of a petstore: to serve, or to mount in another server. */

export type { CorsOptions } from "./server/Cors.ts"
export { createHandler } from "./server/createHandler.ts"
export type { HostPrincipal, HostRequest } from "./server/HostPrincipal.ts"
export { makeHandler, type PetstoreHandler } from "./server/makeHandler.ts"
export type { NodeRequest } from "./server/NodeIncoming.ts"
export type { HandlerOptions } from "./server/Options.ts"
export { ListenError, type PetstoreServer, type ServeOptions, serve } from "./server/serve.ts"
