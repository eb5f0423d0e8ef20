import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { withLockChecks } from "../../../../../laboratory/locks/withLockChecks.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Trimming } from "./Trimming.ts"

/** A clock on which each step takes so many milliseconds. */
const stepping = (clock: Clock.Clock, millis: number): Clock.Clock => {
  let steps = 0n
  return new Proxy(clock, {
    get: (target, key) =>
      key === "monotonicTimeNanosUnsafe"
        ? () => {
            steps += 1n
            return steps * BigInt(millis) * 1_000_000n
          }
        : Reflect.get(target, key)
  })
}

describe("given a machine on which a batch takes long", () => {
  it.effect("when events are removed, then batches become smaller, and larger again when it is fast", () =>
    Effect.provide(
      Effect.gen(function* () {
        const { categories, verify } = yield* Petstore
        const { trim } = yield* Trimming
        for (let count = 0; count < 1_700; count++) yield* categories.create({ name: `C${count}` })
        const clock = yield* Clock.Clock
        const removed: Array<number> = []
        for (const millis of [16, 16, 400, 400, 0, 0]) {
          const batch = yield* Effect.provideService(trim, Clock.Clock, stepping(clock, millis))
          removed.push(batch.removed)
        }
        assert.deepStrictEqual(removed, [500, 125, 100, 100, 100, 200])
        assert.isTrue((yield* verify).ok)
      }),
      Petstore.layer(withLockChecks(memory()), { retention: { events: { count: 1 } } })
    )
  )
})
