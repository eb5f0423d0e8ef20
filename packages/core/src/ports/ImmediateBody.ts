import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"

/**
 * The body of a transaction as a function of its services, for bodies that make their calls by {@link immediateRows}. A store whose
 * calls are synchronous calls it without a fiber, which costs more than most calls; what it returns runs in a fiber if it is not
 * an exit. Anywhere else it is an effect as any other.
 */
export class ImmediateBody<A, E, R> extends Effectable.Class<A, E, R> {
  /** Makes the calls of the body. It may throw: then the body dies. */
  readonly start: (context: Context.Context<never>) => Effect.Effect<A, E, R>

  constructor(start: (context: Context.Context<never>) => Effect.Effect<A, E, R>) {
    super()
    this.start = start
  }

  asEffect(): Effect.Effect<A, E, R> {
    return Effect.withFiber(({ context }) => this.start(context))
  }
}
