import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Event } from "../../domain/events/Event.ts"
import type { RunningCall } from "../background/calls.ts"
import type { HandlerStart } from "./EventHandler.ts"

/** Returns whether to go on with the next event. `hasWaited`: whether the handler has not returned at once. */
type OnHandled = (event: Event, hasWaited: boolean) => boolean

/** Takes the exit of the last handler that was called: an effect, since one that took too long is cancelled first. */
type OnEnd = (exit: Effect.Effect<Exit.Exit<unknown, unknown>>) => void

const none: ReadonlyArray<Event> = []
const handled = Effect.succeed(Exit.void)

/** Calls a handler with events, one after the other. It uses neither a fiber nor a timer for each: {@link expire} ends what hangs. */
export class HandlerCalls {
  private readonly start: HandlerStart
  private readonly timeout: number
  private readonly now: () => number
  private readonly onDeadline: (deadline: number) => void
  private events = none
  private attempt = 1
  private onHandled: OnHandled = () => true
  private onEnd: OnEnd = () => {}
  /** The call that has not returned yet, and when it must have. */
  private running: RunningCall | undefined
  private deadline = 0
  /** How many of the events are handled. */
  done = 0

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
    onHandled: OnHandled
  ): Effect.Effect<Exit.Exit<unknown, unknown>> =>
    Effect.callback((resume) => {
      this.begin(events, attempt, onHandled, resume)
      return this.cancel
    })

  /** The same with a function that is called once at the end, now or later. Calls of others have ended before. */
  begin(events: ReadonlyArray<Event>, attempt: number, onHandled: OnHandled, onEnd: OnEnd): void {
    this.events = events
    this.attempt = attempt
    this.onHandled = onHandled
    this.onEnd = onEnd
    this.done = 0
    this.next()
  }

  /** Ends the handler that runs. Nothing is called at its end. */
  readonly cancel: Effect.Effect<unknown> = Effect.suspend(() => {
    const { running } = this
    this.running = undefined
    return running?.cancel ?? Effect.void
  })

  /** Ends the handler that runs, if it has taken too long; otherwise asks for another call. */
  readonly expire = (now: number): void => {
    const { running } = this
    if (running === undefined) return
    if (now < this.deadline) {
      this.onDeadline(this.deadline)
      return
    }
    this.running = undefined
    const error = new Error(`The handler took more than ${this.timeout} ms`)
    this.end(Effect.as(running.cancel, Exit.fail(error)))
  }

  private next(): void {
    for (let event = this.events[this.done]; event !== undefined; event = this.events[this.done]) {
      const started = this.start(event, this.done === 0 ? this.attempt : 1)
      if ("onEnd" in started) {
        this.wait(event, started)
        return
      }
      if (!this.goesOn(event, started, false)) return
    }
    this.end(handled)
  }

  // Apart from the loop, which would make a context of each event for functions in it.
  private wait(event: Event, call: RunningCall): void {
    this.running = call
    this.deadline = this.now() + this.timeout
    this.onDeadline(this.deadline)
    call.onEnd((exit) => {
      if (this.running !== call) return
      this.running = undefined
      if (this.goesOn(event, exit, true)) this.next()
    })
  }

  /** Ends the calls if they do not go on. */
  private goesOn(event: Event, exit: Exit.Exit<unknown, unknown>, hasWaited: boolean): boolean {
    if (Exit.isSuccess(exit)) {
      this.done++
      if (this.onHandled(event, hasWaited)) return true
    }
    this.end(Effect.succeed(exit))
    return false
  }

  private end(exit: Effect.Effect<Exit.Exit<unknown, unknown>>): void {
    const { onEnd } = this
    this.events = none
    onEnd(exit)
  }
}
