/** A petstore that is somewhere else, for programs anywhere: in Node.js, in browsers, at the edge. */

export * from "./ClientErrors.ts"
export type { ApiKeySource, ClientOptions, Fetch } from "./ClientOptions.ts"
export { createClient } from "./createClient.ts"
export { HttpPetstore } from "./HttpPetstore.ts"
