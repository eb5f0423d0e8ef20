import { describe, it } from "@effect/vitest"
import { checkInvariants, embeddedContract, engineContract, modelContract, registerContract } from "@petstore/testing"
import { testStores } from "../../test/support/postgres/testStores.ts"

const { petstores } = testStores()

const fixture = { open: petstores.open, afterEach: checkInvariants }

describe("petstore on PostgreSQL", () => {
  registerContract(engineContract(fixture), { describe, it })
  registerContract(embeddedContract(petstores), { describe, it })
  registerContract(modelContract(fixture, { runs: 20 }), { describe, it })
})
