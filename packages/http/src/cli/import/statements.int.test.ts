import { join } from "node:path"
import { StatementSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { Petstore } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { startRun } from "./ImportRun.ts"
import type { PetRow } from "./PetRow.ts"

const methods = ["get", "all", "run", "iterate"] as const

const settings = {
  format: "csv",
  columns: { name: "name", category: "category", status: "status", quantity: "quantity" }
} as const

/** Stores a batch of an import, and counts the statements that it runs. */
const statementsOf = (rows: ReadonlyArray<PetRow>) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const storing = Effect.gen(function* () {
      const run = yield* startRun({ digest: "0".repeat(64), settings }, false)
      const spies = methods.map((method) => vi.spyOn(StatementSync.prototype, method))
      try {
        yield* run.store({ pets: rows, rejected: 0, first: 2 })
        return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
      } finally {
        for (const spy of spies) spy.mockRestore()
      }
    })
    return yield* Effect.provide(storing, Petstore.layer(sqlite(join(folder, "pets.db"))))
  })

// Times depend on the machine, counts do not. If one of these rises, an import costs more than it did: know why.
describe("the statements of an import", () => {
  it.effect("given 1,000 pets of four categories, then there is 1 statement for each pet, and 54 for all at most", () =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 1_000 }, (_, index) => ({
        name: `Pet ${index}`,
        category: `Kind ${index % 4}`
      }))
      assert.isAtMost(yield* statementsOf(rows), 1_054)
    })
  )
})
