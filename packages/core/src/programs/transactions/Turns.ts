import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ask, type Cancel, type Direct, direct } from "../../ports/Direct.ts"

/** Runs effects one after the other, in the order in which they were asked for. */
export class Turns {
  private readonly waiting: Array<() => void> = []
  private isTaken = false
  private isAdvancing = false

  run<A, E>(effect: Effect.Effect<A, E>): Direct<A, E> {
    return direct((asker, done) => {
      let cancel: Cancel | undefined
      const begin = (): void => {
        cancel = () => {}
        cancel = ask(effect, asker, (exit) => {
          this.isTaken = false
          done(exit)
          this.advance()
        })
      }
      this.waiting.push(begin)
      this.advance()
      return () => {
        if (cancel !== undefined) return cancel()
        this.waiting.splice(this.waiting.indexOf(begin), 1)
        done(Exit.interrupt())
      }
    })
  }

  /** In a loop, because many of them may end at once. */
  private advance(): void {
    if (this.isAdvancing) return
    this.isAdvancing = true
    while (!this.isTaken) {
      const begin = this.waiting.shift()
      if (begin === undefined) break
      this.isTaken = true
      begin()
    }
    this.isAdvancing = false
  }
}
