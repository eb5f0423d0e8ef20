import { describe, it } from "@effect/vitest"
import { checkInvariants, inGroups, petstoreContract, registerContract } from "@petstore/testing"
import { clearText, expectLogs } from "../../../core/test/support/expectLogs.ts"
import { commitModes } from "../../test/support/postgres/commitModes.ts"
import { testStores } from "../../test/support/postgres/testStores.ts"

expectLogs(clearText)

const mode = "with a commit each"
const { open } = testStores(commitModes[mode]).petstores
const cases = petstoreContract({ open, afterEach: checkInvariants })

// What differs is how commands run and commit. The storage contract runs transactions, which never share a commit.
describe(`petstore on PostgreSQL, ${mode}`, () =>
  registerContract(inGroups(cases, ["orders", "races"]), { describe, it }))
