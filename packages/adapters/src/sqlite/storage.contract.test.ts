import { describe, it } from "@effect/vitest"
import { registerContract, storageContract } from "@petstore/testing"
import { sqliteStores } from "../../test/support/sqliteFixtures.ts"

describe("sqlite", () => registerContract(storageContract(sqliteStores), { describe, it }))
