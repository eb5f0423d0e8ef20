import * as Effect from "effect/Effect"
import type { RunEffect } from "./RunEffect.ts"

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
