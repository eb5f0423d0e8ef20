import type { Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { assertInvariants } from "../assertInvariants.ts"

/**
 * {@link assertInvariants} as an effect, for `afterEach` of a fixture.
 *
 * @example
 * ```ts
 * import { checkInvariants, petstoreContract, testPetstore } from "@petstore/testing"
 * import { Effect } from "effect"
 *
 * const open = Effect.acquireRelease(
 *   Effect.promise(() => testPetstore()),
 *   (petstore) => Effect.promise(() => petstore.close())
 * )
 *
 * petstoreContract({ open, afterEach: checkInvariants }).length > 0 // => true
 * ```
 */
export const checkInvariants = (petstore: Petstore): Effect.Effect<void, unknown> =>
  Effect.tryPromise({ try: () => assertInvariants(petstore), catch: (error) => error })
