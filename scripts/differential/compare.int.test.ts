import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Caller } from "./calls.ts"
import { compare, type Difference } from "./compare.ts"
import { localWays, type Way } from "./ways.ts"

const { memory = assert.fail("There is no way in memory") } = localWays

/** Makes calls on a petstore in memory, and falsifies some results. */
const falsified = (falsify: (caller: Caller) => Caller): Way => Effect.map(memory, falsify)

const faults: Readonly<Record<string, Way>> = {
  "a result that lacks a field": falsified((caller) => async (call) => {
    const result = await caller(call)
    return call.name === "place" ? { ...Object(result), quantity: undefined } : result
  }),
  "a command that has no effect": falsified(
    (caller) => (call) => (call.name === "delete" || call.name === "cancel" ? Promise.resolve() : caller(call))
  ),
  "a command that takes effect twice": falsified((caller) => async (call) => {
    if (call.group === "pets" && call.name === "create") await caller(call)
    return caller(call)
  }),
  "an event that is missing": falsified((caller) => async (call) => {
    const result = await caller(call)
    return call.group === "events" ? { items: Reflect.get(Object(result), "items").slice(1) } : result
  })
}

const seeds = Array.from({ length: 20 }, (_, index) => index + 1)

const differencesOf = (ways: Readonly<Record<string, Way>>): Effect.Effect<ReadonlyArray<Difference>> =>
  Effect.map(
    Effect.forEach(seeds, (seed) => compare(ways, seed)),
    (compared) => compared.flatMap(({ differences }) => differences)
  )

describe("given random histories", () => {
  it.live("when they run in every way to call a petstore, then results, errors and events are the same", () =>
    Effect.map(differencesOf(localWays), (differences) => assert.deepStrictEqual(differences, []))
  )

  for (const [fault, way] of Object.entries(faults)) {
    it.live(`when one way has ${fault}, then it is named`, () =>
      Effect.gen(function* () {
        const differences = yield* differencesOf({ memory, way })
        assert.isNotEmpty(differences)
        assert.isTrue(differences.every((difference) => difference.way === "way"))
      })
    )
  }
})
