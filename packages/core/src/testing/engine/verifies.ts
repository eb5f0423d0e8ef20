import { Effect } from "effect"
import type { Petstore } from "../../petstore/Petstore.ts"
import { ContractViolation } from "../check.ts"

/** Fails unless every invariant holds on the data of a petstore; made for `afterEach` of a fixture. */
export const verifies = (petstore: Petstore): Effect.Effect<void, unknown> =>
  Effect.tryPromise({
    try: async () => {
      const { ok, checks } = await petstore.verify()
      const broken = checks.filter(({ violations }) => violations > 0)
      if (!ok) throw new ContractViolation(`Expected that ${JSON.stringify(broken)} is empty`, broken, [])
    },
    catch: (error) => error
  })
