import type { PetstoreApi } from "@petstore/core"
import { type CheckOptions, checkEffect, formatCheckFailure } from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { assertMatchesModel } from "./assertMatchesModel.ts"
import type { ContractCase } from "./ContractCase.ts"
import { ContractViolation } from "./check.ts"
import { history } from "./commands.ts"
import type { EngineFixture } from "./engine/EngineFixture.ts"

/** How much {@link modelContract} tries. */
export interface ModelOptions extends CheckOptions {
  /** Commands in the longest story; 40 if absent. */
  readonly maxLength?: number
}

/**
 * That a petstore answers as the reference model does, whatever is asked of it: random stories, each on a petstore of its
 * own, and the shortest one that goes wrong is shown. See {@link registerContract} and {@link runContract} for how to run it.
 *
 * @example
 * ```ts
 * import { modelContract, runContract, testPetstore } from "@petstore/testing"
 * import { Effect } from "effect"
 *
 * const open = Effect.acquireRelease(
 *   Effect.promise(() => testPetstore()),
 *   (petstore) => Effect.promise(() => petstore.close())
 * )
 *
 * const { ok } = await Effect.runPromise(runContract(modelContract({ open }, { runs: 5 })))
 * ok // => true
 * ```
 */
export const modelContract = <A extends PetstoreApi>(
  { afterEach, open }: EngineFixture<A>,
  { maxLength = 40, ...options }: ModelOptions = {}
): ReadonlyArray<ContractCase> => [
  {
    group: "stories",
    name: "whatever is asked, the answers are those of the reference model",
    run: Effect.gen(function* () {
      const result = yield* checkEffect(
        history(maxLength),
        (commands) =>
          Effect.scoped(
            Effect.gen(function* () {
              const petstore = yield* open
              yield* Effect.tryPromise({ try: () => assertMatchesModel(petstore, commands), catch: (error) => error })
              if (afterEach !== undefined) yield* afterEach(petstore)
              return true
            })
          ),
        options
      )
      const failure = formatCheckFailure(result)
      if (failure !== undefined) return yield* Effect.fail(new ContractViolation(failure, result, "Passed"))
    })
  }
]
