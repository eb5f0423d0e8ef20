/** The use cases, for programs that serve a petstore to others. */

export { runtimeOf } from "./petstore/openPetstore.ts"
export * from "./services/index.ts"
