import type { ContractCase } from "./ContractCase.ts"
import { accountCases } from "./storage/accountCases.ts"
import { apiKeyCases } from "./storage/apiKeyCases.ts"
import { categoryCases } from "./storage/categoryCases.ts"
import { eventCases } from "./storage/eventCases.ts"
import { idempotencyCases } from "./storage/idempotencyCases.ts"
import { messageCases } from "./storage/messageCases.ts"
import { movementCases } from "./storage/movementCases.ts"
import { orderCases } from "./storage/orderCases.ts"
import { petCases } from "./storage/petCases.ts"
import { petFilterCases } from "./storage/petFilterCases.ts"
import type { StorageFixture } from "./storage/StorageFixture.ts"

const groups = [
  categoryCases,
  petCases,
  petFilterCases,
  orderCases,
  movementCases,
  eventCases,
  messageCases,
  accountCases,
  apiKeyCases,
  idempotencyCases
]

/** Every promise of the storage port, each once; see {@link registerContract} for how to run them. */
export const storageContract = (fixture: StorageFixture): ReadonlyArray<ContractCase> =>
  groups.flatMap((cases) => cases(fixture))
