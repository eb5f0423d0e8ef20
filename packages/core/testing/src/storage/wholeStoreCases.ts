import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assertEqual } from "../check.ts"
import { addOneOfEach, allRows, givenOneOfEach } from "./allRows.ts"
import { storageCases } from "./cases.ts"

export const wholeStoreCases = storageCases("storage: reading a whole store", {
  "a long snapshot, and the inspection in it, show one moment while others commit": (store, { openAnother }) =>
    Effect.gen(function* () {
      yield* givenOneOfEach(store)
      const another = yield* openAnother(store)
      const gate = yield* Deferred.make<void>()
      const writer = yield* Effect.forkChild(
        Effect.andThen(
          Deferred.await(gate),
          Effect.all([store.run((tx) => addOneOfEach(tx, 2)), another.run((tx) => addOneOfEach(tx, 3))])
        ),
        { startImmediately: true }
      )
      const detached = store.detachedSnapshot ?? store.snapshot
      yield* detached(
        Effect.gen(function* () {
          const first = yield* allRows(store)
          yield* Deferred.succeed(gate, undefined)
          for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
          assertEqual(yield* allRows(store), first, "what the snapshot reads later")
          assertEqual(yield* store.inspect, [])
        })
      )
      yield* Fiber.join(writer)
      assertEqual((yield* detached(allRows(store))).pets.length, 3)
      assertEqual(yield* Effect.flip(detached(Effect.andThen(store.pets.find(1), Effect.fail("no")))), "no")
    })
})
