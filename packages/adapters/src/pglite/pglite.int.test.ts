import { setTimeout } from "node:timers/promises"
import { PGlite } from "@electric-sql/pglite"
import { createPetstore } from "@petstore/core"
import { assert, describe, it } from "vitest"
import { pglite } from "./pglite.ts"

describe("a petstore in a PGlite", () => {
  it("given a PGlite that starts for longer than calls wait for it, when it opens, then it waits for the start", async () => {
    const database = new PGlite()
    Object.defineProperty(database, "waitReady", { value: database.waitReady.then(() => setTimeout(300)) })
    const petstore = await createPetstore({ storage: pglite(database, { lockTimeout: "100 millis" }) })
    assert.deepStrictEqual((await petstore.categories.list()).items, [])
    await petstore.close()
    await database.close()
  })
})
