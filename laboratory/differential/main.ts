import * as Effect from "effect/Effect"
import { postgresServer } from "../../packages/adapters/test/support/postgres/PostgresServer.ts"
import type { Lab } from "../Lab.ts"
import { compare } from "./compare.ts"
import { localWays, postgresWays } from "./ways.ts"

/** PGlite takes longer than all other ways together: one of so many seeds runs on it. */
const seedsForPGlite = 20

/** Runs random sequences of calls in every way to call a petstore, and compares results, errors and events. */
export const ask = async (lab: Lab): Promise<void> => {
  // The petstores log what these calls do wrong.
  console.log = () => {}
  const program = Effect.gen(function* () {
    const server = yield* postgresServer({ inMemory: true, settings: { fsync: false } })
    const all = { ...localWays, ...(yield* postgresWays(server.url())) }
    const { PGlite: _, ...quick } = all
    lab.log(`${Object.keys(all).length} ways`)
    yield* Effect.promise(() =>
      lab.eachSeed(async (seed) => {
        const difference = await Effect.runPromise(compare(seed % seedsForPGlite === 0 ? all : quick, seed))
        if (difference === undefined) return []
        const { steps, ...found } = difference
        return [[JSON.stringify(found, null, 2), ...steps.map((step) => `  ${JSON.stringify(step)}`)].join("\n")]
      })
    )
  })
  await Effect.runPromise(Effect.scoped(program))
}
