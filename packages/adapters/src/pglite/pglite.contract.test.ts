import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import {
  checkInvariants,
  embeddedContract,
  petstoreContract,
  registerContract,
  storageContract
} from "@petstore/testing"
import { clearText, disabledWebhook, expectLogs, openTwice } from "../../../core/test/support/expectLogs.ts"
import { contracts } from "../../test/support/contracts.ts"
import { pgliteFixtures } from "../../test/support/pgliteFixtures.ts"

expectLogs(clearText, disabledWebhook, openTwice)

const { close, load, petstores, stores } = pgliteFixtures()

beforeAll(load)
afterAll(close)

describe("pglite", () => {
  registerContract(storageContract(stores), { describe, it })
  if (contracts.enginesOnPglite) {
    registerContract(petstoreContract({ open: petstores.open, afterEach: checkInvariants }), { describe, it })
  }
  registerContract(embeddedContract(petstores), { describe, it })
})
