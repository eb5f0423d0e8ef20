import type { PetstoreApi } from "@petstore/core"
import { functionOption, type OptionSchemas, optionsCheck } from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import type { ContractCase } from "./ContractCase.ts"
import { accountCases } from "./petstore/accountCases.ts"
import { apiKeyCases } from "./petstore/apiKeyCases.ts"
import { backupCases } from "./petstore/backupCases.ts"
import { basketCases } from "./petstore/basketCases.ts"
import { bulkCases } from "./petstore/bulkCases.ts"
import { callCases } from "./petstore/callCases.ts"
import type { PetstoreCases } from "./petstore/cases.ts"
import { categoryCases } from "./petstore/categoryCases.ts"
import { consumerCases, sharedConsumerCases } from "./petstore/consumerCases.ts"
import { deliveredMessageCases } from "./petstore/deliveredMessageCases.ts"
import { embeddedCases } from "./petstore/embeddedCases.ts"
import { endedOrderCases } from "./petstore/endedOrderCases.ts"
import { closingEventCases, eventCases, sharedEventCases } from "./petstore/eventCases.ts"
import { fieldOrderCases } from "./petstore/fieldOrderCases.ts"
import { idempotencyCases } from "./petstore/idempotencyCases.ts"
import { includeCases } from "./petstore/includeCases.ts"
import { listCases, pagingCases } from "./petstore/listCases.ts"
import { messageCases } from "./petstore/messageCases.ts"
import { onceCases } from "./petstore/onceCases.ts"
import { orderCases } from "./petstore/orderCases.ts"
import { orderLimitCases } from "./petstore/orderLimitCases.ts"
import { ownOrderCases } from "./petstore/ownOrderCases.ts"
import type { EmbeddedFixture, PetstoreFixture } from "./petstore/PetstoreFixture.ts"
import { petCases } from "./petstore/petCases.ts"
import { openingOption, petstoreFixtureCheck } from "./petstore/petstoreFixtureCheck.ts"
import { preconditionCases } from "./petstore/preconditionCases.ts"
import { raceCases } from "./petstore/raceCases.ts"
import { recordCases } from "./petstore/recordCases.ts"
import { recordListCases, unindexedCases } from "./petstore/recordListCases.ts"
import { expiryCases, reservationCases } from "./petstore/reservationCases.ts"
import { retryCases } from "./petstore/retryCases.ts"
import { searchCases } from "./petstore/searchCases.ts"
import { sharedCases } from "./petstore/sharedCases.ts"
import { adjustmentCases, inventoryCases } from "./petstore/stockCases.ts"
import { textCases } from "./petstore/textCases.ts"
import { transactionCases } from "./petstore/transactionCases.ts"
import { transactionReadingCases } from "./petstore/transactionReadingCases.ts"
import { validationCases } from "./petstore/validationCases.ts"
import { webhookCases } from "./petstore/webhookCases.ts"

const checkPetstoreFixture = petstoreFixtureCheck("petstoreContract")

const groups: ReadonlyArray<PetstoreCases> = [
  petCases,
  categoryCases,
  inventoryCases,
  adjustmentCases,
  bulkCases,
  orderCases,
  basketCases,
  reservationCases,
  ownOrderCases,
  recordCases,
  includeCases,
  endedOrderCases,
  unindexedCases,
  messageCases,
  eventCases,
  accountCases,
  apiKeyCases,
  webhookCases,
  pagingCases,
  listCases,
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
 * import { checkInvariants, petstoreContract } from "@petstore/testing"
 * import { Effect } from "effect"
 *
 * const open = Effect.acquireRelease(
 *   Effect.promise(() => createPetstore()),
 *   (petstore) => Effect.promise(() => petstore.close())
 * )
 *
 * const cases = petstoreContract({ open, afterEach: checkInvariants })
 * cases.length > 200 // => true
 * ```
 */
export const petstoreContract = <A extends PetstoreApi>(fixture: PetstoreFixture<A>): ReadonlyArray<ContractCase> => {
  const checked = checkPetstoreFixture(fixture)
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
