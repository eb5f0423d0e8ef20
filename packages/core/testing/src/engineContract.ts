import type { PetstoreApi } from "@petstore/core"
import { functionOption, type OptionSchemas, optionsCheck } from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import type { ContractCase } from "./ContractCase.ts"
import { accountCases } from "./engine/accountCases.ts"
import { adjustmentCases } from "./engine/adjustmentCases.ts"
import { apiKeyCases } from "./engine/apiKeyCases.ts"
import { backupCases } from "./engine/backupCases.ts"
import { basketCases } from "./engine/basketCases.ts"
import { bulkCases } from "./engine/bulkCases.ts"
import { callCases } from "./engine/callCases.ts"
import type { EngineCases } from "./engine/cases.ts"
import { categoryCases } from "./engine/categoryCases.ts"
import { consumerCases, sharedConsumerCases } from "./engine/consumerCases.ts"
import { deliveredMessageCases } from "./engine/deliveredMessageCases.ts"
import type { EmbeddedFixture, EngineFixture } from "./engine/EngineFixture.ts"
import { embeddedCases } from "./engine/embeddedCases.ts"
import { endedOrderCases } from "./engine/endedOrderCases.ts"
import { engineFixtureCheck, openingOption } from "./engine/engineFixtureCheck.ts"
import { closingEventCases, eventCases } from "./engine/eventCases.ts"
import { fieldOrderCases } from "./engine/fieldOrderCases.ts"
import { idempotencyCases } from "./engine/idempotencyCases.ts"
import { includeCases } from "./engine/includeCases.ts"
import { inventoryCases } from "./engine/inventoryCases.ts"
import { ledgerCases } from "./engine/ledgerCases.ts"
import { listCases } from "./engine/listCases.ts"
import { messageCases } from "./engine/messageCases.ts"
import { newestFirstCases } from "./engine/newestFirstCases.ts"
import { onceCases } from "./engine/onceCases.ts"
import { orderAmendmentCases } from "./engine/orderAmendmentCases.ts"
import { orderCases } from "./engine/orderCases.ts"
import { orderLimitCases } from "./engine/orderLimitCases.ts"
import { ownOrderCases } from "./engine/ownOrderCases.ts"
import { pagingCases } from "./engine/pagingCases.ts"
import { petCases } from "./engine/petCases.ts"
import { petStatusCases } from "./engine/petStatusCases.ts"
import { preconditionCases } from "./engine/preconditionCases.ts"
import { raceCases } from "./engine/raceCases.ts"
import { recordCases } from "./engine/recordCases.ts"
import { recordListCases, unindexedCases } from "./engine/recordListCases.ts"
import { expiryCases, reservationCases } from "./engine/reservationCases.ts"
import { retryCases } from "./engine/retryCases.ts"
import { searchCases } from "./engine/searchCases.ts"
import { sharedCases } from "./engine/sharedCases.ts"
import { sharedEventCases } from "./engine/sharedEventCases.ts"
import { textCases } from "./engine/textCases.ts"
import { transactionCases } from "./engine/transactionCases.ts"
import { transactionReadingCases } from "./engine/transactionReadingCases.ts"
import { validationCases } from "./engine/validationCases.ts"
import { versionCases } from "./engine/versionCases.ts"
import { webhookCases } from "./engine/webhookCases.ts"

const checkEngineFixture = engineFixtureCheck("engineContract")

const groups: ReadonlyArray<EngineCases> = [
  petCases,
  petStatusCases,
  categoryCases,
  inventoryCases,
  adjustmentCases,
  bulkCases,
  ledgerCases,
  orderCases,
  basketCases,
  orderAmendmentCases,
  reservationCases,
  ownOrderCases,
  recordCases,
  includeCases,
  endedOrderCases,
  unindexedCases,
  newestFirstCases,
  messageCases,
  eventCases,
  accountCases,
  apiKeyCases,
  webhookCases,
  pagingCases,
  listCases,
  versionCases,
  preconditionCases,
  idempotencyCases,
  retryCases,
  validationCases,
  textCases,
  fieldOrderCases,
  raceCases,
  callCases
]

// A name that is mistyped would skip cases.
const checkEmbeddedFixture = optionsCheck(
  "embeddedContract",
  "{ open }",
  {
    open: openingOption,
    openWith: functionOption("a function that opens a petstore with options"),
    openAnother: functionOption("a function that opens a petstore on the database of another"),
    advance: functionOption("a function that moves the clock of a petstore"),
    findsWords: Schema.Boolean,
    buildsIndexes: Schema.Boolean,
    backups: Schema.Unknown
  } satisfies OptionSchemas<EmbeddedFixture>,
  ["open"]
)

/**
 * One case for each method and rule of {@link PetstoreApi}, for petstores in this process and clients of a remote one. See
 * {@link registerContract} and {@link runContract} for how to run them.
 *
 * @example
 * ```ts
 * import { createPetstore } from "@petstore/core"
 * import { checkInvariants, engineContract } from "@petstore/testing"
 * import { Effect } from "effect"
 *
 * const open = Effect.acquireRelease(
 *   Effect.promise(() => createPetstore()),
 *   (petstore) => Effect.promise(() => petstore.close())
 * )
 *
 * const cases = engineContract({ open, afterEach: checkInvariants })
 * cases.length > 200 // => true
 * ```
 */
export const engineContract = <A extends PetstoreApi>(fixture: EngineFixture<A>): ReadonlyArray<ContractCase> => {
  const checked = checkEngineFixture(fixture)
  return groups.flatMap((cases) => cases(checked))
}

/**
 * The cases of an embedded petstore beyond {@link PetstoreApi}: closing, several petstores on one database, backups.
 *
 * @example
 * ```ts
 * import { createPetstore } from "@petstore/core"
 * import { embeddedContract, formatReport, runContract } from "@petstore/testing"
 * import { Effect } from "effect"
 *
 * const open = Effect.acquireRelease(
 *   Effect.promise(() => createPetstore()),
 *   (petstore) => Effect.promise(() => petstore.close())
 * )
 *
 * // Without `backups`, the cases that need files are skipped.
 * const report = await Effect.runPromise(runContract(embeddedContract({ open })))
 * if (!report.ok) throw new Error(formatReport(report))
 * ```
 */
export const embeddedContract = (given: EmbeddedFixture): ReadonlyArray<ContractCase> => {
  const fixture = checkEmbeddedFixture(given)
  return [
    ...embeddedCases({ open: fixture.open }),
    ...transactionCases({ open: fixture.open }),
    ...transactionReadingCases({ open: fixture.open }),
    ...onceCases({ open: fixture.open }),
    ...closingEventCases({ open: fixture.open }),
    ...consumerCases(fixture),
    ...deliveredMessageCases(fixture),
    ...orderLimitCases(fixture),
    ...searchCases(fixture),
    ...recordListCases(fixture),
    ...sharedEventCases(fixture),
    ...sharedConsumerCases(fixture),
    ...expiryCases(fixture),
    ...sharedCases(fixture),
    ...backupCases(fixture)
  ]
}
