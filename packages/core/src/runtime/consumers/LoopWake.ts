import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"

/** What makes the loop of a consumer look again before it would by itself. */
export class LoopWake {
  private readonly latch = Latch.makeUnsafe()
  private isAsked = false

  /** Makes it look for events. */
  readonly wake = (): void => {
    this.latch.openUnsafe()
  }

  /** Makes it look for parked events to replay, and whether it drains. */
  readonly ask = (): void => {
    this.isAsked = true
    this.latch.openUnsafe()
  }

  /** Begins a look. What comes from now on leads to another one. Returns whether it was asked for. */
  begin(): boolean {
    const { isAsked } = this
    this.isAsked = false
    this.clear()
    return isAsked
  }

  /** Forgets what has come, except that a look was asked for. */
  clear(): void {
    this.latch.closeUnsafe()
  }

  /** Waits for what has come since {@link begin} or {@link clear}. */
  get await(): Effect.Effect<void> {
    return this.latch.await
  }
}

/** What makes the consumers of this petstore look for replays, by name. */
export class ReplayWakes {
  private readonly byName = new Map<string, Set<LoopWake>>()

  /** Has it asked until the scope closes. */
  listen(name: string, wake: LoopWake): Effect.Effect<void, never, Scope.Scope> {
    return Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => {
          const wakes = this.byName.get(name) ?? new Set()
          this.byName.set(name, wakes.add(wake))
          return wakes
        }),
        (wakes) =>
          Effect.sync(() => {
            wakes.delete(wake)
            if (wakes.size === 0) this.byName.delete(name)
          })
      )
    )
  }

  ask(name: string): void {
    for (const wake of this.byName.get(name) ?? []) wake.ask()
  }
}
