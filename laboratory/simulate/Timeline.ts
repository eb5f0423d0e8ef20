import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Scheduler from "effect/Scheduler"
import { Dice } from "./Dice.ts"

/** A program whose steps are simulated: none of them runs after it was killed, and none while it is paused. */
export interface Process {
  readonly name: string
  isAlive: boolean
  isPaused: boolean
  /** Milliseconds by which its clock is wrong. */
  clockOffset: number
}

interface Step {
  readonly process: Process
  readonly run: () => void
}

interface Timer extends Step {
  readonly at: number
}

/** The time that all processes share, in which one step runs after the other: which of those that could is drawn at random. */
export class Timeline {
  /** Milliseconds since 1970. */
  now: number
  /** The processes that load modules: that takes turns of the event loop, although the modules are there. */
  readonly loading = new Set<Process>()
  private readonly dice: Dice
  private readonly ready: Array<Step> = []
  /** Those of processes that are paused. */
  private held: Array<Step> = []
  /** Sorted by time, the next one last. */
  private readonly timers: Array<Timer> = []

  constructor(dice: Dice, now: number) {
    this.dice = dice
    this.now = now
  }

  /** Runs a step of a process soon. */
  soon(process: Process, run: () => void): void {
    this.ready.push({ process, run })
  }

  /** Runs a step of a process after some milliseconds. Returns what cancels it. */
  after(process: Process, millis: number, run: () => void): () => void {
    const timer = { process, run, at: this.now + Math.max(0, millis) }
    let place = this.timers.length
    while (place > 0 && (this.timers[place - 1]?.at ?? 0) <= timer.at) place--
    this.timers.splice(place, 0, timer)
    return () => {
      const found = this.timers.indexOf(timer)
      if (found >= 0) this.timers.splice(found, 1)
    }
  }

  /** Lets a process that is paused go on. */
  resume(process: Process): void {
    process.isPaused = false
    this.ready.push(...this.held.filter((step) => step.process === process))
    this.held = this.held.filter((step) => step.process !== process)
  }

  /** Runs steps until the condition holds, or the time has come. Returns whether it holds. */
  async runUntil(condition: () => boolean, end: number): Promise<boolean> {
    for (;;) {
      while (this.ready.length > 0) {
        if (condition()) return true
        this.runOne()
      }
      if (this.loading.size > 0) {
        await Effect.runPromise(Effect.yieldNow)
        if (this.ready.length > 0) continue
      }
      if (condition()) return true
      const next = this.timers.at(-1)
      if (next === undefined || next.at > end) {
        this.now = end
        return false
      }
      this.timers.pop()
      this.now = Math.max(this.now, next.at)
      this.ready.push(next)
    }
  }

  /** The services by which the effects of a process run in this time. */
  contextOf(process: Process): Context.Context<never> {
    const dice = new Dice(this.dice.seed())
    const random: Random.Random = {
      nextDoubleUnsafe: dice.fraction,
      nextIntUnsafe: () => dice.between(-(2 ** 31), 2 ** 31)
    }
    return Context.make(Scheduler.Scheduler, this.schedulerOf(process)).pipe(
      Context.add(Clock.Clock, this.clockOf(process)),
      Context.add(Random.Random, random)
    ) as Context.Context<never>
  }

  private runOne(): void {
    const place = this.dice.between(0, this.ready.length - 1)
    const [step] = this.ready.splice(place, 1)
    if (step === undefined || !step.process.isAlive) return
    if (step.process.isPaused) this.held.push(step)
    else step.run()
  }

  private schedulerOf(process: Process): Scheduler.Scheduler {
    return {
      executionMode: "async",
      shouldYield: ({ cache, currentOpCount }) => currentOpCount >= cache.maxOpsBeforeYield,
      makeDispatcher: () => ({ scheduleTask: (task) => this.soon(process, task), flush: () => {} })
    }
  }

  private clockOf(process: Process): Clock.Clock {
    const millis = (): number => Math.floor(this.now) + process.clockOffset
    const nanos = (): bigint => BigInt(millis()) * 1_000_000n
    const monotonic = (): bigint => BigInt(Math.floor(this.now)) * 1_000_000n
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeNanosUnsafe: nanos,
      monotonicTimeNanosUnsafe: monotonic,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep: (duration) =>
        Effect.callback<void>((resume) => {
          const cancel = this.after(process, Duration.toMillis(duration), () => resume(Effect.void))
          return Effect.sync(cancel)
        })
    }
  }
}
