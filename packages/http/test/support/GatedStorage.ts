import { memory } from "@petstore/core"
import { Storage, type StorageAdapter } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"

/** Where transactions can be held up. */
export interface Gate {
  readonly close: Effect.Effect<unknown>
  readonly open: Effect.Effect<unknown>
  /** Completes when a number of transactions are held up. */
  readonly holds: (count: number) => Effect.Effect<void>
  /** Completes when no transaction is held up. */
  readonly releases: Effect.Effect<void>
}

const nextTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const makeGate = () => {
  const latch = Latch.makeUnsafe(true)
  let held = 0
  const pass = Effect.suspend(() => {
    held++
    return Effect.ensuring(
      latch.await,
      Effect.sync(() => {
        held--
      })
    )
  })
  const until = (met: () => boolean): Effect.Effect<void> =>
    Effect.suspend(() => (met() ? Effect.void : Effect.andThen(nextTurn, until(met))))
  const gate: Gate = {
    close: latch.close,
    open: latch.open,
    holds: (count) => until(() => held >= count),
    releases: until(() => held === 0)
  }
  return { gate, pass }
}

/** A store in memory whose transactions can be held up: before they begin, and before they are committed. */
export interface GatedStorage {
  readonly adapter: StorageAdapter
  readonly beginning: Gate
  readonly committing: Gate
}

/** Both gates are open at first. */
export const gatedStorage = (): GatedStorage => {
  const beginning = makeGate()
  const committing = makeGate()
  const gated = Effect.map(Storage, (storage): Storage["Service"] => ({
    ...storage,
    run: (begin, command) =>
      Effect.andThen(
        beginning.pass,
        // Like a store that talks to a server: what has begun is waited for.
        Effect.uninterruptible(Effect.tap(storage.run(begin, command), () => committing.pass))
      )
  }))
  return {
    adapter: { name: "gated", layer: Layer.effect(Storage, gated).pipe(Layer.provide(memory().layer)) },
    beginning: beginning.gate,
    committing: committing.gate
  }
}
