/** The petstore as a promise API, for applications. */

export * from "./domain/errors/index.ts"
export type * from "./domain/index.ts"
export { limits } from "./domain/limits.ts"
export { memory } from "./memory/MemoryStorage.ts"
export { createPetstore } from "./petstore/createPetstore.ts"
export type { Petstore } from "./petstore/Petstore.ts"
export type * from "./petstore/PetstoreApi.ts"
export type { PetstoreOptions } from "./petstore/PetstoreOptions.ts"
export type { StorageAdapter } from "./ports/Storage.ts"
export type { ChangeOptions, CreateOptions, Versioned } from "./services/Options.ts"
export type { VersionedPetWithInventory } from "./services/Pets.ts"
export type { CheckResult, VerificationReport } from "./services/Verification.ts"
