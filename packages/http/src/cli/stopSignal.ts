import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Stopped } from "./errors.ts"

export type Signal = "SIGINT" | "SIGTERM"

/** A terminal, npm and a shell may each pass on one and the same signal. */
const sameSignalMillis = 1_000

/** What to do about a signal at a time in ms: end in order, at once, or nothing, as it is the first one again. */
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

/** As shells count: a process that a signal ended. */
export const exitCodeOf = (signal: Signal): number => (signal === "SIGINT" ? 130 : 143)

const parentCheckMillis = 200

/** The shell between npm and the command may die of a signal without passing it on. Then its end tells. */
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

/** The first SIGINT or SIGTERM, or the end of the npm that started the command. A second one, at least a second later, ends the process at once. */
export class StopSignal extends Context.Service<StopSignal, Effect.Effect<Signal>>()("@petstore/http/StopSignal") {
  static readonly layer = Layer.effect(
    StopSignal,
    Effect.gen(function* () {
      const stopped = yield* Deferred.make<Signal>()
      const rule = makeStopRule()
      const drain = (signal: Signal) => Deferred.doneUnsafe(stopped, Effect.succeed(signal))
      const onSignal = (signal: Signal) => {
        const verdict = rule(performance.now())
        if (verdict === "drain") drain(signal)
        if (verdict === "exit") process.exit(exitCodeOf(signal))
      }
      // They stay until the process is gone: the same signal again must not kill it while it ends.
      process.on("SIGINT", onSignal).on("SIGTERM", onSignal)
      // Node takes the handlers away some milliseconds before it is gone, unless it is told to exit.
      process.once("exit", (code) => process.exit(code))
      yield* Effect.acquireRelease(
        Effect.sync(() => watchParent(() => drain("SIGTERM"))),
        (unwatch) => Effect.sync(unwatch)
      )
      return Deferred.await(stopped)
    })
  )
}

/** Runs an effect until it is done, or gives it up and fails when a signal comes. */
export const untilStopped = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Stopped, R | StopSignal> =>
  Effect.flatMap(StopSignal, (stop) =>
    Effect.raceFirst(
      effect,
      Effect.flatMap(stop, (signal) => Effect.fail(new Stopped({ signal })))
    )
  )
