import { ShuttingDown } from "@petstore/core/domain"
import { Storage } from "@petstore/core/ports"
import type { Engine } from "@petstore/core/services"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { jsonAnswer } from "../Answer.ts"
import type { Exchange } from "../Exchange.ts"
import type { Route } from "./Route.ts"

const well = (status: string) => (exchange: Exchange) => jsonAnswer(200, exchange.headers, JSON.stringify({ status }))

/** Whether the process answers at all. */
export const liveProbe: Route = {
  name: "live",
  always: true,
  probe: true,
  run: (exchange) => Effect.sync(() => well("live")(exchange))
}

/** Whether it can do its work: a write has just been made durable, or was within the last second. Logs only changes. */
export const readyProbe = (engine: Context.Context<Engine>, isClosing: () => boolean): Route => {
  const { ready } = Context.get(engine, Storage)
  let failing: string | undefined
  const note = (code: string | undefined, entry: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (code === failing) return Effect.void
      failing = code
      return entry
    })
  return {
    name: "ready",
    always: true,
    logsItself: true,
    probe: true,
    run: (exchange) =>
      Effect.suspend(() => (isClosing() ? Effect.fail(new ShuttingDown({})) : ready)).pipe(
        Effect.tapError((error) =>
          note(
            error.status === 503 ? error.code : failing,
            Effect.logWarning(`not ready: ${error.code}`, Cause.fail(error))
          )
        ),
        Effect.tap(() => note(undefined, Effect.logInfo("ready again"))),
        Effect.map(() => well("ready")(exchange))
      )
  }
}
