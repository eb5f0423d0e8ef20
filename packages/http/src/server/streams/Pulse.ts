import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"

/** How the streams of a server run effects: in the background, with a function that receives the outcome. */
export type RunEffect = <A, E>(effect: Effect.Effect<A, E>, then: (exit: Exit.Exit<A, E>) => void) => void

/** Calls waiting functions together: streams that send at the same time share the bytes of their pages. */
export class Pulse {
  private readonly runEffect: RunEffect
  private readonly millis: number
  private waiting = new Set<() => void>()

  constructor(runEffect: RunEffect, millis: number) {
    this.runEffect = runEffect
    this.millis = millis
  }

  /** Calls a function once, within a number of milliseconds. */
  next(then: () => void): void {
    this.waiting.add(then)
    if (this.waiting.size > 1) return
    this.runEffect(Effect.sleep(this.millis), () => {
      const { waiting } = this
      this.waiting = new Set()
      for (const one of waiting) one()
    })
  }
}
