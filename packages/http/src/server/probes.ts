import { ShuttingDown } from "@petstore/core/domain"
import { Storage } from "@petstore/core/ports"
import type { Engine } from "@petstore/core/services"
import { Context, Effect } from "effect"
import { jsonAnswer } from "./Answer.ts"
import type { Exchange } from "./Exchange.ts"
import type { Route } from "./Route.ts"

const well = (status: string) => (exchange: Exchange) => jsonAnswer(200, exchange.headers, JSON.stringify({ status }))

/** Whether the process answers at all. */
export const liveProbe: Route = {
  name: "live",
  always: true,
  run: (exchange) => Effect.sync(() => well("live")(exchange))
}

/** Whether it can do its work: the store is migrated and can be written to. */
export const readyProbe = (engine: Context.Context<Engine>, isClosing: () => boolean): Route => {
  const { ready } = Context.get(engine, Storage)
  return {
    name: "ready",
    always: true,
    run: (exchange) =>
      Effect.suspend(() => (isClosing() ? Effect.fail(new ShuttingDown({})) : ready)).pipe(
        Effect.map(() => well("ready")(exchange))
      )
  }
}
