import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Runs an effect for each item, one after another, within one step as long as they have their results at once. */
export const eachOf = <A, E, R>(
  items: ReadonlyArray<A>,
  run: (item: A, index: number) => Effect.Effect<unknown, E, R>,
  start = 0
): Effect.Effect<void, E, R> => {
  for (let index = start; index < items.length; index++) {
    const ran = run(items[index] as A, index)
    if (!Exit.isExit(ran)) return Effect.flatMap(ran, () => eachOf(items, run, index + 1))
    if (Exit.isFailure(ran)) return ran
  }
  return Exit.void
}
