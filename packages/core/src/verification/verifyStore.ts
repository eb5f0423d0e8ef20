import * as Effect from "effect/Effect"
import type { CheckResult, VerificationLimits } from "../ports/RowChecks.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { noteCheckpoints } from "./checkpoint/noteCheckpoints.ts"
import { noteEvents, noteMessages, noteOrders, noteStoredResults } from "./noteFacts.ts"
import { startRun, type VerifiedStore } from "./Run.ts"
import { verifyAccounts, verifyApiKeys } from "./verifyAccess.ts"
import { verifyCategories } from "./verifyCategories.ts"
import { verifyConsumers, verifyParkedEvents } from "./verifyConsumers.ts"
import { verifyImports } from "./verifyImports.ts"
import { verifyMessages } from "./verifyMessages.ts"
import { verifyOrders } from "./verifyOrders.ts"
import { verifyPets } from "./verifyPets.ts"
import { verifyDeliveries, verifyDeliveryRows, verifyWebhooks } from "./verifyWebhooks.ts"

/**
 * Checks every rule on a store; run it in a snapshot. What one part of the store shows about the rows of another is noted as
 * facts, and rows are compared with the facts about them range by range, so that memory does not grow with the store.
 */
export const verifyStore: (
  store: VerifiedStore,
  limits: VerificationLimits
) => Effect.Effect<ReadonlyArray<CheckResult>, StorageError> = Effect.fnUntraced(function* (
  store: VerifiedStore,
  limits: VerificationLimits
) {
  const run = yield* startRun(store, limits)
  yield* noteStoredResults(run)
  const removed = yield* noteCheckpoints(run)
  run.log.isTrimmed = removed.last > 0
  run.results.knownFrom = removed.resultsFrom
  yield* noteEvents(run, removed)
  yield* noteMessages(run)
  yield* noteOrders(run)
  yield* verifyPets(run)
  yield* verifyOrders(run)
  yield* verifyCategories(run)
  run.log.settled.finish()
  yield* verifyMessages(run)
  yield* verifyAccounts(run)
  yield* verifyApiKeys(run)
  yield* verifyImports(run)
  yield* verifyConsumers(run)
  yield* verifyParkedEvents(run)
  yield* verifyWebhooks(run)
  yield* verifyDeliveryRows(run)
  yield* verifyDeliveries(run)
  return run.report.results
}, Effect.scoped)
