import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/** Tells the lanes of endpoints, in this petstore, what no event announces: that deliveries are due, and that there is a new endpoint. */
export class DeliveryWakes extends Context.Service<
  DeliveryWakes,
  {
    /** Calls `wake` whenever deliveries of an endpoint were made due, until the scope closes. */
    readonly listen: (webhookId: number, wake: () => void) => Effect.Effect<void, never, Scope.Scope>
    readonly wake: (webhookId: number) => Effect.Effect<void>
    /** Wakes every lane, and returns how many there are. */
    readonly wakeAll: Effect.Effect<number>
    /** Calls `wake` whenever this petstore has created an endpoint, until the scope closes. */
    readonly listenForEndpoints: (wake: () => void) => Effect.Effect<void, never, Scope.Scope>
    readonly endpointCreated: Effect.Effect<void>
  }
>()("@petstore/core/webhooks/DeliveryWakes") {
  static readonly layer = Layer.sync(DeliveryWakes, () => {
    const lanes = new Map<number, () => void>()
    const listeners = new Set<() => void>()
    return {
      listen: (webhookId, wake) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            lanes.set(webhookId, wake)
          }),
          () => Effect.sync(() => lanes.delete(webhookId))
        ),
      wake: (webhookId) => Effect.sync(() => lanes.get(webhookId)?.()),
      wakeAll: Effect.sync(() => {
        for (const wake of lanes.values()) wake()
        return lanes.size
      }),
      listenForEndpoints: (wake) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            listeners.add(wake)
          }),
          () => Effect.sync(() => listeners.delete(wake))
        ),
      endpointCreated: Effect.sync(() => {
        for (const wake of listeners) wake()
      })
    }
  })
}
