import type { PetstoreApi } from "@petstore/core"
import { type CheckOptions, checkEffect, formatCheckFailure } from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { assertMatchesModel } from "./assertMatchesModel.ts"
import type { ContractCase } from "./ContractCase.ts"
import { ContractViolation } from "./check.ts"
import { history } from "./commands.ts"
import type { PetstoreFixture } from "./petstore/PetstoreFixture.ts"
import { petstoreFixtureCheck } from "./petstore/petstoreFixtureCheck.ts"

const checkFixture = petstoreFixtureCheck("modelContract")

/** How many histories {@link modelContract} runs, and how long they are. */
export interface ModelOptions extends CheckOptions {
  /** Maximum number of commands in a history. Default: 40. */
  readonly maxLength?: number
}

/**
 * A case that runs random histories of commands, each on a new petstore, and compares the results with those of the
 * {@link Model}. It shows the shortest history that fails. See {@link registerContract} and {@link runContract}.
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
  fixture: PetstoreFixture<A>,
  { maxLength = 40, ...options }: ModelOptions = {}
): ReadonlyArray<ContractCase> => {
  const { afterEach, open } = checkFixture(fixture)
  return [
    {
      group: "reference model",
      name: "the results of any commands are those of the reference model",
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
}
