import { describe, it } from "@effect/vitest"
import { checkInvariants, embeddedContract, engineContract, registerContract } from "@petstore/testing"
import { sqlitePetstores } from "../../test/support/sqliteFixtures.ts"

describe("petstore on SQLite", () => {
  registerContract(engineContract({ open: sqlitePetstores.open, afterEach: checkInvariants }), { describe, it })
  registerContract(embeddedContract(sqlitePetstores), { describe, it })
})
