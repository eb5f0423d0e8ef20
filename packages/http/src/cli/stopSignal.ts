import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Stopped } from "./errors.ts"

export type Signal = "SIGINT" | "SIGTERM"

/** For how many milliseconds a repeated signal counts as the same: a terminal, npm and a shell may each forward it. */
const sameSignalMillis = 1_000

/** Returns a function that decides what a signal at a time in milliseconds does: `drain` at first, `ignore` while it counts as the same, then `exit`. */
export const makeStopRule = (): ((at: number) => "drain" | "ignore" | "exit") => {
  let first: number | undefined
  return (at) => {
    if (first === undefined) {
      first = at
      return "drain"
    }
    return at - first < sameSignalMillis ? "ignore" : "exit"
  }
}

/** The exit code that shells use for a process that a signal ended. */
export const exitCodeOf = (signal: Signal): number => (signal === "SIGINT" ? 130 : 143)

const parentCheckMillis = 200

/** Detects the end of the shell between npm and this process: a signal may end the shell without being forwarded. */
const watchParent = (onGone: () => void): (() => void) => {
  if (process.env.npm_lifecycle_event === undefined) return () => {}
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, parentCheckMillis).unref()
  return () => clearInterval(timer)
}

/**
 * Waits for the first SIGINT or SIGTERM, or the end of the npm that started this process. A second signal, at least a second
 * later, ends the process at once.
 */
export class StopSignal extends Context.Service<StopSignal, Effect.Effect<Signal>>()("@petstore/http/StopSignal") {
  static readonly layer = Layer.effect(
    StopSignal,
    Effect.gen(function* () {
      const stopped = yield* Deferred.make<Signal>()
      const rule = makeStopRule()
      const drain = (signal: Signal) => Deferred.doneUnsafe(stopped, Effect.succeed(signal))
      const onSignal = (signal: Signal) => {
        const action = rule(performance.now())
        if (action === "drain") drain(signal)
        if (action === "exit") process.exit(exitCodeOf(signal))
      }
      // They stay until the process has ended: the same signal again must not kill it while it stops.
      process.on("SIGINT", onSignal).on("SIGTERM", onSignal)
      // Without an explicit exit, Node removes the handlers some milliseconds before the process ends.
      process.once("exit", (code) => process.exit(code))
      yield* Effect.acquireRelease(
        Effect.sync(() => watchParent(() => drain("SIGTERM"))),
        (unwatch) => Effect.sync(unwatch)
      )
      return Deferred.await(stopped)
    })
  )
}

/** Runs an effect; a signal interrupts it, and fails with `Stopped`. */
export const untilStopped = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Stopped, R | StopSignal> =>
  Effect.flatMap(StopSignal, (stop) =>
    Effect.raceFirst(
      effect,
      Effect.flatMap(stop, (signal) => Effect.fail(new Stopped({ signal })))
    )
  )
