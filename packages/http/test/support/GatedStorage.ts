import { memory } from "@petstore/core"
import { Storage, type StorageAdapter } from "@petstore/core/ports"
import { Effect, Latch, Layer } from "effect"

/** A store in memory whose transactions can be held up: before they begin, and before they are committed. */
export interface GatedStorage {
  readonly adapter: StorageAdapter
  readonly beginning: Latch.Latch
  readonly committing: Latch.Latch
}

/** Both gates are open at first. */
export const gatedStorage = (): GatedStorage => {
  const beginning = Latch.makeUnsafe(true)
  const committing = Latch.makeUnsafe(true)
  const inner = memory()
  const gated = Effect.map(Storage, (storage): Storage["Service"] => ({
    ...storage,
    transact: (body) =>
      Effect.andThen(
        beginning.await,
        // Like a store that talks to a server: what has begun is waited for.
        Effect.uninterruptible(Effect.tap(storage.transact(body), () => committing.await))
      )
  }))
  return {
    adapter: { name: "gated", layer: Layer.effect(Storage, gated).pipe(Layer.provide(inner.layer)) },
    beginning,
    committing
  }
}
