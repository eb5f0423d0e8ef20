export { type ContractCase, type ContractRunner, registerContract } from "./ContractCase.ts"
export { ContractViolation } from "./check.ts"
export type { StorageFaults, StorageFixture, Store } from "./storage/StorageFixture.ts"
export { storageContract } from "./storageContract.ts"
