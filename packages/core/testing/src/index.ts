/** For tests: of a host's own rules first, and of storage adapters and other ways to reach the engine. */

// For those who write applications: a petstore and its scenes, assertions, and input of every kind.

export * as arbitraries from "./arbitraries.ts"
export { aCategory, anOrder, aPet, aStock } from "./builders.ts"
export type { ControllableClock } from "./ControllableClock.ts"
export { holdsInvariants } from "./holdsInvariants.ts"
export { hostile, hostileText, junk } from "./hostile.ts"
export {
  anAffectedPet,
  aProposedCancellation,
  aProposedOrder,
  aProposedPet,
  aProposedStatus
} from "./proposals.ts"
export { type ErrorType, type Refused, refused } from "./refused.ts"
export { heldPet, openOrder, type PetOnStage, soldOutPet, stockedPet } from "./scene.ts"
export { type TestPetstore, type TestPetstoreOptions, testPetstore } from "./testPetstore.ts"

// For those who write storage adapters, clients and wrappers: contracts, and the reference model.

export { agreesWithModel } from "./agreesWithModel.ts"
export { type ContractCase, type ContractRunner, inGroups, registerContract } from "./ContractCase.ts"
export { ContractViolation } from "./check.ts"
export { command, history } from "./commands.ts"
export type { Backups, EmbeddedFixture, EngineFixture } from "./engine/EngineFixture.ts"
export { verifies } from "./engine/verifies.ts"
export { embeddedContract, engineContract } from "./engineContract.ts"
export { LockViolation } from "./locks/LockViolation.ts"
export { withLockChecks } from "./locks/withLockChecks.ts"
export { type Command, Model, type Outcome } from "./model.ts"
export { type ModelOptions, modelContract } from "./modelContract.ts"
export { runCommand } from "./runCommand.ts"
export { type CaseName, type ContractReport, formatReport, runContract } from "./runContract.ts"
export { type Shop, shopOf } from "./shop.ts"
export type { HostSession, StorageFaults, StorageFixture, StorageHost, Store } from "./storage/StorageFixture.ts"
export { storageContract } from "./storageContract.ts"
