/** The REST API of a petstore: to serve, or to mount in another server. */

export type { HostPrincipal, HostRequest } from "./server/authentication/HostPrincipal.ts"
export { createHandler } from "./server/createHandler.ts"
export { makeHandler, type PetstoreHandler } from "./server/makeHandler.ts"
export type { HandlerOptions } from "./server/Options.ts"
export type { CorsOptions } from "./server/response/Cors.ts"
export { ListenError, type PetstoreServer, type ServeOptions, serve } from "./server/serve.ts"
export type { NodeRequest } from "./server/transport/NodeIncoming.ts"
