import { describe, it } from "@effect/vitest"
import { registerContract, storageContract } from "@petstore/testing"
import { expectLogs } from "../../../core/test/support/expectLogs.ts"
import { sqliteStores } from "../../test/support/sqliteFixtures.ts"

expectLogs("Nothing can be written to")

describe("sqlite", () => registerContract(storageContract(sqliteStores), { describe, it }))
