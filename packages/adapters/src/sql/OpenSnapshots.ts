import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

interface OpenSnapshot {
  readonly owner: object
  readonly snapshot: unknown
  /** That of another store, around it. */
  readonly outer: OpenSnapshot | undefined
}

class CurrentSnapshot extends Context.Service<CurrentSnapshot, OpenSnapshot>()("@petstore/adapters/CurrentSnapshot") {}

/** The snapshots that are open on one store: a statement finds its own by the context of its fiber. */
export class OpenSnapshots<S> {
  /** The snapshot of this store that a fiber reads from; undefined if there is none. */
  find(context: Context.Context<never>): S | undefined {
    let current = Context.getOrUndefined(context, CurrentSnapshot)
    while (current !== undefined && current.owner !== this) current = current.outer
    // What this has provided is an `S`.
    return current?.snapshot as S | undefined
  }

  /** Lets the fibers of a body read from a snapshot. */
  provide<A, E, R>(snapshot: S, body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.updateContext(body, (context: Context.Context<R>) => this.added(snapshot, context))
  }

  /** Services with which reads are from a snapshot. */
  added<R>(snapshot: S, services: Context.Context<R>): Context.Context<R> {
    const outer = Context.getOrUndefined(services, CurrentSnapshot)
    return Context.add(services, CurrentSnapshot, { owner: this, snapshot, outer })
  }
}
