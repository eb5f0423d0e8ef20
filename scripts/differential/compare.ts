import { type Command, history } from "@petstore/testing"
import { sampleEffect } from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { type Caller, callOf, outcomeOf, page } from "./calls.ts"
import { OrderIds } from "./OrderIds.ts"
import type { Way } from "./ways.ts"

/** Where a way differs from the first one. */
export interface Difference {
  readonly way: string
  readonly seed: number
  /** What was asked for, and what came of it. */
  readonly call: string
  readonly expected: string | undefined
  readonly actual: string | undefined
}

const lists = [
  page("categories", "/categories", { limit: 100 }),
  page("pets", "/pets", { limit: 100 }),
  page("inventory", "/inventory", { limit: 100 }),
  page("orders", "/store/orders", { limit: 100 }),
  ...[0, 100, 200].map((after) => page("events", "/events", { after, limit: 100 }))
]

const longest = 40

/** Makes the calls one after the other, then reads all lists and all events. */
const outcomesOf = async (caller: Caller, commands: ReadonlyArray<Command>): Promise<ReadonlyArray<string>> => {
  const ids = new OrderIds()
  const outcomes: Array<string> = []
  for (const command of commands) {
    outcomes.push(ids.seen(await outcomeOf(caller(callOf(ids.meant(command)))), command))
  }
  for (const list of lists) outcomes.push(ids.seen(await outcomeOf(caller(list))))
  return outcomes
}

/** Runs the history of a seed in each way, and returns the first difference of each from the first way. */
export const compare = (
  ways: Readonly<Record<string, Way>>,
  seed: number
): Effect.Effect<{ readonly calls: number; readonly differences: ReadonlyArray<Difference> }> =>
  Effect.gen(function* () {
    const [commands = []] = yield* Effect.orDie(sampleEffect(history(longest), { count: 1, seed }))
    const calls = [
      ...commands.map((command) => JSON.stringify(command)),
      ...lists.map(({ request }) => request.join(" "))
    ]
    let expected: ReadonlyArray<string> | undefined
    const differences: Array<Difference> = []
    for (const [way, open] of Object.entries(ways)) {
      const actual = yield* Effect.scoped(
        Effect.flatMap(open, (caller) => Effect.promise(() => outcomesOf(caller, commands)))
      )
      expected ??= actual
      const at = calls.findIndex((_, index) => expected?.[index] !== actual[index])
      if (at >= 0) differences.push({ way, seed, call: calls[at] ?? "", expected: expected[at], actual: actual[at] })
    }
    return { calls: calls.length * Object.keys(ways).length, differences }
  })
