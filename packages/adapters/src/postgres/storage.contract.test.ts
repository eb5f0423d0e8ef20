import { describe, it } from "@effect/vitest"
import { registerContract, storageContract } from "@petstore/testing"
import { testStores } from "../../test/support/postgres/testStores.ts"

const stores = testStores()

describe("postgres", () => registerContract(storageContract(stores.storage), { describe, it }))
