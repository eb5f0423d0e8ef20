import type { Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { holdsInvariants } from "../holdsInvariants.ts"

/**
 * The same as {@link holdsInvariants} as an effect, made for `afterEach` of a fixture.
 *
 * @example
 * ```ts
 * import { engineContract, testPetstore, verifies } from "@petstore/testing"
 * import { Effect } from "effect"
 *
 * const open = Effect.acquireRelease(
 *   Effect.promise(() => testPetstore()),
 *   (petstore) => Effect.promise(() => petstore.close())
 * )
 *
 * engineContract({ open, afterEach: verifies }).length > 0 // => true
 * ```
 */
export const verifies = (petstore: Petstore): Effect.Effect<void, unknown> =>
  Effect.tryPromise({ try: () => holdsInvariants(petstore), catch: (error) => error })
