import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LoopWake } from "./LoopWake.ts"

/** What makes the consumers of this engine look for replays, by name. */
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
            if (wakes.size === 0 && this.byName.get(name) === wakes) this.byName.delete(name)
          })
      )
    )
  }

  ask(name: string): void {
    for (const wake of this.byName.get(name) ?? []) wake.ask()
  }
}
