import type { PetstoreApi } from "@petstore/core"
import { assertEqual } from "./check.ts"
import { type Command, Model } from "./model.ts"
import { type PetstoreState, readState } from "./petstoreState.ts"
import { runCommand } from "./runCommand.ts"

const lists = ["categories", "pets", "inventory", "orders"] as const satisfies ReadonlyArray<keyof PetstoreState>

/**
 * Gives commands to an empty petstore, near or far, and to the {@link Model}, and throws at the first one whose answer, or
 * what lists tell after it, is not that of the model. It finds what a wrapper or an adapter changed there; `engineContract` finds
 * what is wrong with reading by id, versions and idempotency keys.
 *
 * @example
 * ```ts
 * import { assertMatchesModel, history, testPetstore } from "@petstore/testing"
 * import { Effect } from "effect"
 * import { sampleEffect } from "effect/Arbitrary"
 *
 * for (const story of await Effect.runPromise(sampleEffect(history(20), { count: 3 }))) {
 *   await using petstore = await testPetstore()
 *   await assertMatchesModel(petstore, story)
 * }
 * ```
 */
export const assertMatchesModel = async (petstore: PetstoreApi, commands: ReadonlyArray<Command>): Promise<void> => {
  const model = new Model()
  for (const [index, command] of commands.entries()) {
    const which = `command ${index + 1}, ${JSON.stringify(command)}`
    assertEqual(await runCommand(petstore, command), model.run(command), `the answer to ${which}`)
    const [actual, expected] = [await readState(petstore), model.state]
    for (const list of lists) assertEqual(actual[list], expected[list], `the ${list} after ${which}`)
  }
}
