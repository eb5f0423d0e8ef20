import type { PetstoreApi } from "@petstore/core"
import { assertEqual } from "./check.ts"
import { type Command, Model } from "./model.ts"
import { type PetstoreState, readState } from "./petstoreState.ts"
import { runCommand } from "./runCommand.ts"

const lists = ["categories", "pets", "inventory", "orders"] as const satisfies ReadonlyArray<keyof PetstoreState>

/**
 * Runs commands on an empty petstore or client and on the {@link Model}. Throws a {@link ContractViolation} at the first
 * command after which the result or the lists differ. It does not compare versions, idempotency keys and reads by id, which
 * `petstoreContract` checks.
 *
 * @example
 * ```ts
 * import { assertMatchesModel, history, testPetstore } from "@petstore/testing"
 * import { Effect } from "effect"
 * import { sampleEffect } from "effect/Arbitrary"
 *
 * for (const commands of await Effect.runPromise(sampleEffect(history(20), { count: 3 }))) {
 *   await using petstore = await testPetstore()
 *   await assertMatchesModel(petstore, commands)
 * }
 * ```
 */
export const assertMatchesModel = async (petstore: PetstoreApi, commands: ReadonlyArray<Command>): Promise<void> => {
  const model = new Model()
  for (const [index, command] of commands.entries()) {
    const which = `command ${index + 1}, ${JSON.stringify(command)}`
    const outcome = await runCommand(petstore, command)
    assertEqual(outcome, model.run(command, outcome), `the result of ${which}`)
    const [actual, expected] = [await readState(petstore), model.state]
    for (const list of lists) assertEqual(actual[list], expected[list], `the ${list} after ${which}`)
  }
}
