import type { ContractCase } from "./ContractCase.ts"
import { categoryCases } from "./storage/categoryCases.ts"
import type { StorageFixture } from "./storage/StorageFixture.ts"

const groups = [categoryCases]

/** Every promise of the storage port, each once; see {@link registerContract} for how to run them. */
export const storageContract = (fixture: StorageFixture): ReadonlyArray<ContractCase> =>
  groups.flatMap((cases) => cases(fixture))
