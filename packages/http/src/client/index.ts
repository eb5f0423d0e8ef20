/** A client of a remote petstore, for Node.js, browsers and edge runtimes. */

export * from "./ClientErrors.ts"
export type { ApiKeySource, ClientOptions, Fetch } from "./ClientOptions.ts"
export { createClient } from "./createClient.ts"
export { HttpPetstore } from "./HttpPetstore.ts"
