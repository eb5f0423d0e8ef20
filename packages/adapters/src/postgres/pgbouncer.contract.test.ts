import { checkInvariants, embeddedContract, petstoreContract, registerContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { afterAll, describe, it } from "vitest"
import { clearText, disabledWebhook, expectLogs, openTwice } from "../../../core/test/support/expectLogs.ts"
import { contracts } from "../../test/support/contracts.ts"
import { FreshStores } from "../../test/support/postgres/FreshStores.ts"
import { pgBouncer, pgBouncerVersion, throughPort } from "../../test/support/postgres/PgBouncer.ts"
import { testDatabase } from "../../test/support/postgres.ts"

expectLogs(clearText, disabledWebhook, openTwice)

const pooled = Effect.flatMap(testDatabase, (direct) =>
  Effect.map(pgBouncer(direct), (port) => throughPort(direct, port))
)

const reason = pgBouncerVersion === undefined ? " (skipped: pgbouncer is not installed)" : ""

// Four connections to the server for more connections of stores, so that each of them meets what others left behind.
describe.skipIf(reason !== "")(`petstore on PostgreSQL behind PgBouncer in transaction mode${reason}`, () => {
  const stores = new FreshStores(pooled, { prepare: false, maxConnections: 5 })
  afterAll(() => stores.close())
  const { petstores } = stores
  const cases = petstoreContract({ open: petstores.open, afterEach: checkInvariants })
  registerContract(contracts.sampled(cases), { describe, it })
  registerContract(embeddedContract(petstores), { describe, it })
})
