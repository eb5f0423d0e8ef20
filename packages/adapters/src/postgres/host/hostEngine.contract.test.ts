import { afterAll, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { checkInvariants, engineContract, registerContract, withLockChecks } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { inHostTransactions, type Transact } from "../../../test/support/inHostTransactions.ts"
import {
  type HostLibrary,
  type HostLibraryName,
  openHostLibrary
} from "../../../test/support/postgres/hostLibraries.ts"
import { testDatabase } from "../../../test/support/postgres.ts"
import { postgres } from "../postgres.ts"

const transactOn =
  (library: HostLibrary): Transact =>
  async (body) => {
    const { commit, rollback, transaction } = await library.begin()
    try {
      const result = await body(transaction)
      await commit()
      return result
    } catch (error) {
      await rollback()
      throw error
    }
  }

/** One database for all cases, and one library: each case has a schema of its own. */
const opened = Scope.makeUnsafe()
let url: Promise<string> | undefined
const database = Effect.promise(() => (url ??= Effect.runPromise(Scope.provide(testDatabase, opened))))
afterAll(() => Effect.runPromise(Scope.close(opened, Exit.void)), 60_000)

let schemas = 0

const openOn = (name: HostLibraryName) =>
  Effect.gen(function* () {
    const storage = withLockChecks(postgres({ url: yield* database, schema: `shop ${++schemas}`, maxConnections: 4 }))
    const petstore = yield* Effect.acquireRelease(
      Effect.promise(() => createPetstore({ storage })),
      (created) => Effect.promise(() => created.close())
    )
    return inHostTransactions(petstore, transactOn(yield* openHostLibrary(name, yield* database)))
  })

for (const name of ["pg", "Kysely", "Drizzle"] as const) {
  describe(`a petstore on PostgreSQL whose every command is a transaction of ${name}`, () => {
    registerContract(engineContract({ open: openOn(name), afterEach: checkInvariants }), { describe, it })
  })
}
