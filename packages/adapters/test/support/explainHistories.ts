import { assert, it } from "@effect/vitest"
import type { Petstore } from "@petstore/core"
import {
  type Command,
  checkInvariants,
  command,
  history,
  Model,
  type Outcome,
  type PetstoreState,
  readState,
  runCommand
} from "@petstore/testing"
import { array } from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const orders = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length === 0
    ? [[]]
    : items.flatMap((first, index) => orders(items.toSpliced(index, 1)).map((rest) => [first, ...rest]))

const byId = <A>(rows: ReadonlyMap<number, A>): ReadonlyArray<readonly [id: number, row: A]> =>
  [...rows].sort(([a], [b]) => a - b)

const stateOf = (model: Model): string => JSON.stringify([byId(model.categories), byId(model.pets), byId(model.orders)])

/** A command with its outcome. */
type CommandWithOutcome = readonly [Command, Outcome]

/** The sequences of all commands that explain the results and the current state; one for each state they lead to. */
const explanations = (
  before: ReadonlyArray<ReadonlyArray<CommandWithOutcome>>,
  batch: ReadonlyArray<CommandWithOutcome>,
  now: PetstoreState
) => {
  const found = new Map<string, ReadonlyArray<CommandWithOutcome>>()
  for (const earlier of before) {
    for (const order of orders(batch)) {
      const model = new Model()
      for (const [each, outcome] of earlier) model.run(each, outcome)
      const results = order.map(([each, outcome]) => model.run(each, outcome))
      const explains =
        JSON.stringify(results) === JSON.stringify(order.map(([, result]) => result)) &&
        JSON.stringify(model.state) === JSON.stringify(now)
      if (explains) found.set(stateOf(model), [...earlier, ...order])
    }
  }
  return [...found.values()]
}

const together = 4

const batches = (commands: ReadonlyArray<Command>): ReadonlyArray<ReadonlyArray<Command>> =>
  commands.length === 0 ? [] : [commands.slice(0, together), ...batches(commands.slice(together))]

/** Gives each batch at the same time, half of it by each petstore. */
const check = async (petstores: readonly [Petstore, Petstore], batched: ReadonlyArray<ReadonlyArray<Command>>) => {
  let explained: ReadonlyArray<ReadonlyArray<CommandWithOutcome>> = [[]]
  for (const batch of batched) {
    const observed = await Promise.all(
      batch.map(async (each, index): Promise<CommandWithOutcome> => {
        const petstore = index % 2 === 0 ? petstores[0] : petstores[1]
        return [each, await runCommand(petstore, each)]
      })
    )
    const now = await readState(petstores[0])
    explained = explanations(explained, observed, now)
    assert.isNotEmpty(explained, `No order explains ${JSON.stringify({ observed, now })}`)
  }
}

const size = { minLength: 20, maxLength: 40 }

/**
 * Gives commands four at a time to two petstores on one database, and checks that some sequence of them explains the results
 * and the state after each four.
 */
export const explainHistories = (
  petstores: Effect.Effect<readonly [Petstore, Petstore], unknown, Scope.Scope>,
  runs = 20
): void =>
  it.effect.prop(
    "then the results, and the state after each four, are those of some sequence of them",
    { opening: history(0), commands: array(command, size) },
    ({ commands, opening }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const both = yield* petstores
          const batched = [...opening.map((each) => [each]), ...batches(commands)]
          yield* Effect.promise(() => check(both, batched))
          yield* checkInvariants(both[1])
        })
      ),
    { arbitrary: { runs, size: 100 } }
  )
