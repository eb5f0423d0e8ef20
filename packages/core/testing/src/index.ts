/** Test kit: for applications and their rules, and for storage adapters, clients and wrappers. */

// For applications: a petstore with a clock, test data, assertions, and generated input.

export * as arbitraries from "./arbitraries.ts"
export { assertInvariants } from "./assertInvariants.ts"
export { type AssertRejects, assertRejects, type ErrorType } from "./assertRejects.ts"
export {
  aCategory,
  aCategoryRecord,
  aMovement,
  aNewCategory,
  aNewOrder,
  aNewPet,
  anEvent,
  anInventoryItem,
  anOrder,
  anOrderRecord,
  aPet,
  aPetRecord,
  aStock
} from "./builders.ts"
export type { ControllableClock } from "./ControllableClock.ts"
export { corrupted, invalidText, junk } from "./corrupted.ts"
export {
  anAffectedPet,
  aProposedCancellation,
  aProposedOrder,
  aProposedPet,
  aProposedStatus
} from "./proposals.ts"
export { createHeldPet, createOpenOrder, createSoldOutPet, createStockedPet, type TestPetFields } from "./testData.ts"
export { type TestPetstore, type TestPetstoreOptions, testPetstore } from "./testPetstore.ts"

// For storage adapters, clients and wrappers: contracts and the reference model.

export { assertMatchesModel } from "./assertMatchesModel.ts"
export { type ContractCase, type ContractRunner, inGroups, registerContract } from "./ContractCase.ts"
export { ContractViolation } from "./check.ts"
export { command, history } from "./commands.ts"
export { type Command, Model, type Outcome } from "./model.ts"
export { type ModelOptions, modelContract } from "./modelContract.ts"
export { checkInvariants } from "./petstore/checkInvariants.ts"
export type { Backups, EmbeddedFixture, PetstoreFixture } from "./petstore/PetstoreFixture.ts"
export { embeddedContract, petstoreContract } from "./petstoreContract.ts"
export { type PetstoreState, readState } from "./petstoreState.ts"
export { runCommand } from "./runCommand.ts"
export { type CaseName, type ContractReport, formatReport, runContract } from "./runContract.ts"
export type {
  HostDatabase,
  OpenHostTransaction,
  StorageFaults,
  StorageFixture,
  Store
} from "./storage/StorageFixture.ts"
export { storageContract } from "./storageContract.ts"
