import { describe, it } from "@effect/vitest"
import { checkInvariants, embeddedContract, modelContract, petstoreContract, registerContract } from "@petstore/testing"
import { clearText, disabledWebhook, expectLogs, openTwice } from "../../../core/test/support/expectLogs.ts"
import { sqlitePetstores } from "../../test/support/sqliteFixtures.ts"

expectLogs(clearText, disabledWebhook, openTwice)

describe("petstore on SQLite", () => {
  const fixture = { open: sqlitePetstores.open, afterEach: checkInvariants }
  registerContract(petstoreContract(fixture), { describe, it })
  registerContract(embeddedContract(sqlitePetstores), { describe, it })
  registerContract(modelContract(fixture, { runs: 10 }), { describe, it })
})
