import * as Effect from "effect/Effect"
import type { Lab } from "../Lab.ts"
import { fuzz } from "./fuzz.ts"

/** How many requests a server gets. */
const cases = 1_000

/** Sends random requests, each round to a new server, and compares the responses with the OpenAPI description. */
export const ask = async (lab: Lab): Promise<void> => {
  const counts: Record<string, number> = {}
  await lab.eachSeed(
    async (seed) => {
      const { expectations, findings, statuses } = await Effect.runPromise(fuzz(seed, cases))
      for (const [name, count] of Object.entries<number>({ ...expectations, ...statuses }))
        counts[name] = (counts[name] ?? 0) + count
      return findings.map((finding) => JSON.stringify(finding, null, 2))
    },
    { figures: () => JSON.stringify(counts) }
  )
}
