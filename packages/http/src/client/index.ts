/** A client of a remote petstore, for Node.js, browsers and edge runtimes. */

export type { ServerStats, Session } from "../api/Server.ts"
export * from "./ClientErrors.ts"
export type { ApiKeySource, ClientOptions, Fetch } from "./ClientOptions.ts"
export { createClient, type RemotePetstore } from "./createClient.ts"
export { HttpPetstore } from "./HttpPetstore.ts"
export type { RemoteConsumers, RemoteConsumersMethods } from "./remoteMethods.ts"
