import { durationOption, functionOption, type OptionSchemas, optionOf, optionsCheck } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ContractCase } from "./ContractCase.ts"
import { activityCases } from "./storage/activityCases.ts"
import { bulkCases } from "./storage/bulkCases.ts"
import { checkpointCases, consumerCases } from "./storage/checkpointCases.ts"
import { closingCases } from "./storage/closingCases.ts"
import { constraintCases } from "./storage/constraintCases.ts"
import { eventCases } from "./storage/eventCases.ts"
import { eventOrderCases } from "./storage/eventOrderCases.ts"
import { commitFailureCases, lostTransactionCases } from "./storage/failureCases.ts"
import { hostCases } from "./storage/hostCases.ts"
import { idempotencyCases } from "./storage/idempotencyCases.ts"
import { interruptionCases } from "./storage/interruptionCases.ts"
import { isolationCases } from "./storage/isolationCases.ts"
import { limitCases } from "./storage/limitCases.ts"
import { listIndexCases } from "./storage/listIndexCases.ts"
import { lockOrderCases } from "./storage/lockOrderCases.ts"
import { messageCases } from "./storage/messageCases.ts"
import { overlapCases } from "./storage/overlapCases.ts"
import { queryCases } from "./storage/queryCases.ts"
import { raceCases } from "./storage/raceCases.ts"
import { restoreCases } from "./storage/restoreCases.ts"
import type { StorageFixture } from "./storage/StorageFixture.ts"
import { snapshotCases, wholeStoreCases } from "./storage/snapshotCases.ts"
import { testedFixture } from "./storage/TestedStore.ts"
import { tableCases } from "./storage/tableCases.ts"
import { transactionCases } from "./storage/transactionCases.ts"
import { watchCases } from "./storage/watchCases.ts"

const groups = [
  tableCases,
  queryCases,
  listIndexCases,
  eventCases,
  bulkCases,
  checkpointCases,
  watchCases,
  messageCases,
  idempotencyCases,
  consumerCases,
  transactionCases,
  interruptionCases,
  isolationCases,
  raceCases,
  overlapCases,
  lockOrderCases,
  eventOrderCases,
  commitFailureCases,
  lostTransactionCases,
  snapshotCases,
  wholeStoreCases,
  restoreCases,
  limitCases,
  constraintCases,
  hostCases,
  activityCases,
  closingCases
]

// A name that is mistyped would skip cases.
const checkFixture = optionsCheck(
  "storageContract",
  "{ open, openAnother }",
  {
    open: optionOf("an effect that opens a store", Effect.isEffect),
    openAnother: functionOption("a function that opens a store on the database of another"),
    faults: Schema.Unknown,
    writers: Schema.Literals(["one", "many"]),
    keyLockTimeout: durationOption,
    host: Schema.Unknown
  } satisfies OptionSchemas<StorageFixture>,
  ["open", "openAnother"]
)

/**
 * One case for each requirement of the storage port; see {@link registerContract} and {@link runContract} for how to run them.
 *
 * @example
 * ```ts
 * import { memory } from "@petstore/core"
 * import { Storage, type StorageAdapter } from "@petstore/core/ports"
 * import { formatReport, inGroups, runContract, storageContract, type Store } from "@petstore/testing"
 * import { Context, Effect, Layer } from "effect"
 *
 * // Which adapter a store is of.
 * const adapters = new WeakMap<Store, StorageAdapter>()
 *
 * const open = (adapter: StorageAdapter) =>
 *   Effect.map(Layer.build(Layer.fresh(adapter.layer)), (context) => {
 *     const store = Context.get(context, Storage)
 *     adapters.set(store, adapter)
 *     return store
 *   })
 *
 * const cases = storageContract({
 *   open: Effect.suspend(() => open(memory())),
 *   openAnother: (store) => open(adapters.get(store) ?? memory())
 * })
 * const report = await Effect.runPromise(runContract(inGroups(cases, ["storage: tables"])))
 * if (!report.ok) throw new Error(formatReport(report))
 * ```
 */
export const storageContract = (fixture: StorageFixture): ReadonlyArray<ContractCase> => {
  const tested = testedFixture(checkFixture(fixture))
  return groups.flatMap((cases) => cases(tested))
}
