import { ApiKeys, type Engine } from "@petstore/core/services"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type { HandlerOptions } from "../options.ts"
import { apiKeyAuthentication } from "./apiKeyAuthentication.ts"
import type { Authenticate } from "./Caller.ts"
import { hostAuthentication } from "./hostAuthentication.ts"

/** Authenticates by the host application if the options say so, else by API keys. */
export const authentication = (engine: Context.Context<Engine>, options: HandlerOptions): Authenticate => {
  if (options.authenticate === undefined) {
    return apiKeyAuthentication(Context.get(engine, ApiKeys), Context.get(engine, Clock.Clock), options.adminKey)
  }
  if (options.adminKey !== undefined) {
    throw new TypeError("Set either adminKey or authenticate: with authenticate, the key is never asked for")
  }
  return hostAuthentication((request) => options.authenticate?.(request))
}
