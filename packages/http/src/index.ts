/** The REST API of a petstore: to serve, or to mount in another server. */

export type { HostPrincipal } from "./server/authentication/authentication.ts"
export { createHandler, makeHandler, type PetstoreHandler } from "./server/createHandler.ts"
export type { HostRequest } from "./server/HttpRequest.ts"
export type { AccessLogEntry, HandlerOptions, ServeOptions } from "./server/options.ts"
export type { CorsOptions } from "./server/response/Cors.ts"
export { serve } from "./server/serve.ts"
export { limitPipelines } from "./server/transport/limitPipelines.ts"
export { ListenError, type PetstoreServer } from "./server/transport/nodeServer.ts"
export type { NodeRequest } from "./server/transport/requestHead.ts"
