import { assert, describe, it } from "@effect/vitest"
import { CategoryNameTaken } from "@petstore/core"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../packages/core/test/support/expectLogs.ts"
import { opening } from "./calls.ts"
import { compare, type Difference } from "./compare.ts"
import { type Caller, localWays, type Way, type Ways } from "./ways.ts"

expectLogs(clearText, "uses GET /v1/pets/{petId}")

const { memory = assert.fail("There is no way in memory") } = localWays

/** Makes calls on a petstore in memory, and falsifies some outcomes. */
const falsified = (falsify: (call: Caller) => Caller): Way =>
  Effect.map(memory, ({ call, transaction }) => ({
    call: falsify(call),
    ...(transaction && { transaction: (body) => transaction((inner) => body(falsify(inner))) })
  }))

const faults: Readonly<Record<string, Way>> = {
  "another detail of an error": falsified(
    (call) => (method, input) =>
      call(method, input).catch((error) => {
        throw error instanceof CategoryNameTaken ? new CategoryNameTaken({ name: "Cats" }) : error
      })
  ),
  "events in another order": falsified((call) => async (method, input) => {
    const result = await call(method, input)
    return method === "events.list" ? { ...Object(result), items: Object(result).items.toReversed() } : result
  }),
  "no cursor of the next page": falsified((call) => async (method, input) => {
    const result = await call(method, input)
    return method === "events.list" ? { ...Object(result), next: undefined } : result
  }),
  "another number": falsified((call) => async (method, input) => {
    const result = await call(method, input)
    return method === "inventory.get" ? { ...Object(result), available: Object(result).available + 1 } : result
  }),
  "a command that has no effect": falsified(
    (call) => async (method, input) => (method === "orders.cancel" ? undefined : call(method, input))
  ),
  "a command that takes effect twice": falsified((call) => async (method, input) => {
    if (method === "pets.create") await call(method, input)
    return call(method, input)
  })
}

/** The first difference that any of some seeds shows. */
const firstDifference = (ways: Ways, seeds: number): Effect.Effect<Difference | undefined> =>
  Effect.gen(function* () {
    for (let seed = 1; seed <= seeds; seed++) {
      const difference = yield* compare(ways, seed)
      if (difference !== undefined) return difference
    }
    return undefined
  })

describe("given random sequences of calls", () => {
  it.live("when they run in every way to call a petstore, then results, errors and events are the same", () =>
    Effect.map(firstDifference(localWays, 5), (difference) => assert.isUndefined(difference))
  )

  for (const [fault, way] of Object.entries(faults)) {
    it.live(`when one way has ${fault}, then a short sequence shows it, which its seed repeats`, () =>
      Effect.gen(function* () {
        const ways = { memory, way }
        const difference = yield* firstDifference(ways, 200)
        assert.strictEqual(difference?.way, "way")
        // The first ones are the same in every sequence.
        assert.isAtMost(difference?.steps.length ?? 0, opening.length + 2)
        assert.deepStrictEqual(yield* compare(ways, difference?.seed ?? 0), difference)
      })
    )
  }
})
