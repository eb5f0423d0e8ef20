import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { DatabaseUnreachable } from "./errors.ts"

/** The delays between attempts, in milliseconds; the last one repeats. */
const delays = [500, 1_000, 2_000, 5_000]

/** Milliseconds of a clock that is never set: while a machine starts, that of the system may be set by years. */
const now = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1_000_000)

/** Builds a layer in a scope of its own, which closes at once if that fails. */
const openOnce = <A, E, R>(layer: Layer.Layer<A, E, R>, scope: Scope.Scope) =>
  Effect.flatMap(Scope.fork(scope), (own) =>
    Effect.onExit(Layer.buildWithScope(layer, own), (exit) =>
      Exit.isSuccess(exit) ? Effect.void : Scope.close(own, exit)
    )
  )

/**
 * Opens a database that may start later than the server, as containers do. Logs each attempt that fails, and fails as the last
 * one if there was none that succeeded within `patience`.
 */
export const waitingForServer = <A, E, R>(
  layer: Layer.Layer<A, E | DatabaseUnreachable, R>,
  patience: Duration.Duration
): Layer.Layer<A, E | DatabaseUnreachable, Exclude<R, Scope.Scope>> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const end = (yield* now) + Duration.toMillis(patience)
      for (let failed = 0; ; failed++) {
        const exit = yield* Effect.result(openOnce(layer, scope))
        if (exit._tag === "Success") return exit.success
        const { failure } = exit
        const delay = delays[Math.min(failed, delays.length - 1)] ?? 0
        const left = end - (yield* now)
        if (!(failure instanceof DatabaseUnreachable) || left < delay) return yield* Effect.fail(failure)
        yield* Effect.logWarning(
          `${failure.message.replace(/\.$/, "")}. Next attempt in ${delay / 1_000} s, for ${Math.ceil(left / 1_000)} s more`
        )
        yield* Effect.sleep(Duration.millis(delay))
      }
    })
  )
