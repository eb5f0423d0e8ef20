import * as Effect from "effect/Effect"

/** Runs an effect for each item, one after another. Nearly always there is one item, which costs half as much by itself. */
export const eachOf = <A, E, R>(
  items: ReadonlyArray<A>,
  run: (item: A, index: number) => Effect.Effect<void, E, R>
): Effect.Effect<void, E, R> => {
  const [first] = items
  return items.length === 1 && first !== undefined ? run(first, 0) : Effect.forEach(items, run, { discard: true })
}
