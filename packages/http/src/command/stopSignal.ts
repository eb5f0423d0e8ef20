import { Context, Deferred, Effect, Layer } from "effect"

export type Signal = "SIGINT" | "SIGTERM"

/** npm, the shell and the terminal may each pass on one and the same signal. */
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

/** The first SIGINT or SIGTERM. A second one, at least a second later, ends the process at once. */
export class StopSignal extends Context.Service<StopSignal, Effect.Effect<Signal>>()("@petstore/http/StopSignal") {
  static readonly layer = Layer.effect(
    StopSignal,
    Effect.gen(function* () {
      const stopped = yield* Deferred.make<Signal>()
      const rule = makeStopRule()
      const onSignal = (signal: Signal) => {
        const verdict = rule(performance.now())
        if (verdict === "drain") Deferred.doneUnsafe(stopped, Effect.succeed(signal))
        if (verdict === "exit") process.exit(exitCodeOf(signal))
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => process.on("SIGINT", onSignal).on("SIGTERM", onSignal)),
        () => Effect.sync(() => process.off("SIGINT", onSignal).off("SIGTERM", onSignal))
      )
      return Deferred.await(stopped)
    })
  )
}
