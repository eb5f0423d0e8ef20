import { fail } from "@petstore/core/kernel"
import type { Part } from "./TestedStore.ts"

/** Runs parts of a command one after another. */
export function* inTurn<E = never>(...parts: ReadonlyArray<Part<unknown, E>>): Part<void, E> {
  for (const part of parts) yield* part
}

/** Runs a part for each item. */
export function* each<Item, A, E = never>(
  items: Iterable<Item>,
  part: (item: Item, index: number) => Part<A, E>
): Part<ReadonlyArray<A>, E> {
  const results: Array<A> = []
  for (const item of items) results.push(yield* part(item, results.length))
  return results
}

/** Ends a command with an error. */
export function* refuse(): Part<never, string> {
  return yield* fail("no")
}

/** Ends a command by a defect. */
export function* throwing(message = "a defect"): Part<never> {
  throw new Error(message)
}
