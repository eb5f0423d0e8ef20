import { describe, it } from "@effect/vitest"
import { checkInvariants, embeddedContract, engineContract, registerContract } from "@petstore/testing"
import { clearText, disabledWebhook, expectLogs } from "../../../core/test/support/expectLogs.ts"
import { sqlitePetstores } from "../../test/support/sqliteFixtures.ts"

expectLogs(clearText, disabledWebhook)

describe("petstore on SQLite", () => {
  registerContract(engineContract({ open: sqlitePetstores.open, afterEach: checkInvariants }), { describe, it })
  registerContract(embeddedContract(sqlitePetstores), { describe, it })
})
