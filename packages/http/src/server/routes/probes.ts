import { ShuttingDown } from "@petstore/core/domain"
import { Storage } from "@petstore/core/ports"
import type { Runtime } from "@petstore/core/runtime"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { jsonResponse } from "../HttpResponse.ts"
import type { RequestContext } from "../RequestContext.ts"
import type { Route } from "./Route.ts"

const success = ({ headers }: RequestContext, status: string) => {
  headers.push("Cache-Control", "no-store")
  return jsonResponse(200, headers, JSON.stringify({ status }))
}

/** Reports whether the process responds at all. */
export const liveProbe: Route = {
  name: "live",
  kind: "probe",
  successes: [200],
  run: (context) => Effect.sync(() => success(context, "live"))
}

/** Reports whether the server can work: a write was made durable now or within the last second. Logs changes only. */
export const readyProbe = (runtime: Context.Context<Runtime>, isClosing: () => boolean): Route => {
  const { ready } = Context.get(runtime, Storage)
  let failing: string | undefined
  const note = (code: string | undefined, entry: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (code === failing) return Effect.void
      failing = code
      return entry
    })
  return {
    name: "ready",
    kind: "probe",
    successes: [200],
    logsUnavailable: true,
    run: (context) =>
      Effect.suspend(() => (isClosing() ? Effect.fail(new ShuttingDown({})) : ready)).pipe(
        Effect.tapError((error) =>
          note(
            error.status === 503 ? error.code : failing,
            Effect.logWarning(`not ready: ${error.code}`, Cause.fail(error))
          )
        ),
        Effect.tap(() => note(undefined, Effect.logInfo("ready again"))),
        Effect.map(() => success(context, "ready"))
      )
  }
}
