import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "../../petstore/createPetstore.ts"

describe("given an account", () => {
  it("when a transaction makes another one of its name, then the call fails, and the transaction may go on", async () => {
    await using petstore = await createPetstore()
    await petstore.accounts.create({ name: "Shop" })
    const code = await petstore.transaction((tx) =>
      tx.accounts.create({ name: "shop" }).catch((error: { readonly code: string }) => error.code)
    )
    assert.strictEqual(code, "account_name_taken")
  })
})
