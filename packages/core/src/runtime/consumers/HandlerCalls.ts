import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Event } from "../../domain/events/Event.ts"
import type { RunningCall } from "../background/calls.ts"
import type { HandlerStart } from "./EventHandler.ts"

/** A handler that has not returned yet, and when it must have. */
interface Running {
  readonly deadline: number
  readonly expire: () => void
}

/** Calls a handler with events, one after the other. It uses neither a fiber nor a timer for each: {@link expire} ends what hangs. */
export class HandlerCalls {
  private readonly start: HandlerStart
  private readonly timeout: number
  private readonly now: () => number
  private readonly onDeadline: (deadline: number) => void
  private running: Running | undefined

  /** `onDeadline`: called when {@link expire} must be called at that time, as `now` counts it. */
  constructor(start: HandlerStart, timeout: number, now: () => number, onDeadline: (deadline: number) => void) {
    this.start = start
    this.timeout = timeout
    this.now = now
    this.onDeadline = onDeadline
  }

  /**
   * Calls the handler until it fails, or `onHandled` returns false for an event that is handled. `attempt` is that of the first
   * event; returns the exit of the last one.
   */
  readonly run = (
    events: ReadonlyArray<Event>,
    attempt: number,
    onHandled: (event: Event) => boolean
  ): Effect.Effect<Exit.Exit<unknown, unknown>> =>
    Effect.callback((resume) => {
      let index = 0
      let current: RunningCall | undefined
      let isOver = false
      const finish = (exit: Effect.Effect<Exit.Exit<unknown, unknown>>): void => {
        isOver = true
        this.running = undefined
        resume(exit)
      }
      /** Returns whether to go on. */
      const ended = (event: Event, exit: Exit.Exit<unknown, unknown>): boolean => {
        index++
        if (Exit.isSuccess(exit) && onHandled(event) && index < events.length) return true
        finish(Effect.succeed(exit))
        return false
      }
      const expire = (): void => {
        const error = new Error(`The handler took more than ${this.timeout} ms`)
        const { cancel } = current ?? { cancel: Effect.void }
        finish(Effect.as(cancel, Exit.fail(error)))
      }
      const step = (): void => {
        for (;;) {
          const event = events[index]
          if (event === undefined) {
            finish(Effect.succeed(Exit.void))
            return
          }
          const started = this.start(event, index === 0 ? attempt : 1)
          if (!("onEnd" in started)) {
            if (ended(event, started)) continue
            return
          }
          current = started
          this.running = { deadline: this.now() + this.timeout, expire }
          this.onDeadline(this.running.deadline)
          started.onEnd((exit) => {
            if (isOver) return
            this.running = undefined
            if (ended(event, exit)) step()
          })
          return
        }
      }
      step()
      return Effect.suspend(() => {
        if (isOver) return Effect.void
        isOver = true
        this.running = undefined
        return current?.cancel ?? Effect.void
      })
    })

  /** Ends the handler that runs, if it has taken too long; otherwise asks for another call. */
  readonly expire = (now: number): void => {
    if (this.running === undefined) return
    if (now >= this.running.deadline) this.running.expire()
    else this.onDeadline(this.running.deadline)
  }
}
