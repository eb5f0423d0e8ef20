import type { CallOptions, EventMethods, PetstoreApi } from "@petstore/core"
import { checkRest, consumerInputs } from "@petstore/core/domain"
import {
  callCheck,
  promiseApi,
  promiseEvents,
  promiseGroup,
  type RunMethod,
  runCall,
  runChecked
} from "@petstore/core/remote"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ServerStats, Session, StatsPoint } from "../api/Server.ts"
import { type ClientOptions, settingsOf } from "./ClientOptions.ts"
import { remoteEvents } from "./events/remoteEvents.ts"
import { caller } from "./operationCaller.ts"
import { type RemoteConsumersMethods, remoteConsumers, remoteMethods, serverReads } from "./remoteMethods.ts"

const runMethod: RunMethod<CallOptions> = (method, options) => runCall(Effect.runPromiseExit, () => method, options)

const noTransactions =
  "A remote petstore cannot join a transaction of this process. Omit the option transaction, or open the petstore here with createPetstore."

/** Callers without types may pass the option of an in-process petstore. */
const checkOf: typeof callCheck = (name, input) => {
  const check = callCheck(name, input)
  return (options, more) =>
    (Object(options) as { readonly transaction?: unknown }).transaction === undefined
      ? check(options, more)
      : Effect.die(new TypeError(noTransactions))
}

/** A client is never closed: its subscriptions and loops end one by one. */
const never = new AbortController().signal

/** A petstore on a server: the methods of an in-process petstore, and what only the server knows. */
export interface RemotePetstore extends PetstoreApi {
  readonly events: EventMethods & {
    /** The durable consumers of the server's database. They run where their handlers are, so that none is opened here. @beta */
    readonly consumers: RemoteConsumersMethods
  }
  /** Who this client is, and what it may do. @beta */
  session(options?: CallOptions): Promise<Session>
  /** The work of the server since it started, and the queues of its store. Needs the scope `stats:read`. @beta */
  stats(options?: CallOptions): Promise<ServerStats>
  /** The numbers of the last 15 minutes, as far as callers asked for them, the oldest first. Needs the scope `stats:read`. @beta */
  statsHistory(options?: CallOptions): Promise<ReadonlyArray<StatsPoint>>
}

/**
 * Makes a client of a remote petstore. It has the methods of an in-process petstore, so that a program can switch between
 * the two in one line. Requests are retried if that is safe.
 *
 * @example
 * ```ts
 * import { createPetstore } from "@petstore/core"
 * import { createHandler } from "@petstore/http"
 * import { createClient } from "@petstore/http/client"
 * import { Redacted } from "effect"
 *
 * const key = Redacted.make("an-admin-key-for-this-example")
 * const handler = createHandler(await createPetstore(), { adminKey: key })
 *
 * const petstore = createClient({
 *   baseUrl: "http://localhost:8080/v1",
 *   key,
 *   // Calls the handler without a network; omit it to use the network.
 *   fetch: (url, init) => handler.fetch(new Request(url, init))
 * })
 * const cats = await petstore.categories.create({ name: "Cats" })
 * const tom = await petstore.pets.create({ name: "Tom", categoryId: cats.id })
 * tom.status // => "available"
 * ```
 */
export const createClient: (options: ClientOptions) => RemotePetstore = (options, more?: unknown) => {
  checkRest("createClient", "{ baseUrl, key }", more)
  const settings = settingsOf(options)
  const call = caller(settings)
  const { session, stats, statsHistory } = serverReads(call)
  return {
    ...promiseApi<CallOptions>(remoteMethods(call), runMethod, checkOf),
    events: {
      ...promiseEvents(remoteEvents(call, settings), Context.empty(), { runMethod }, never),
      consumers: promiseGroup<RemoteConsumersMethods>(
        "events.consumers",
        consumerInputs,
        remoteConsumers(call),
        runMethod,
        checkOf
      )
    },
    session: (given) => runChecked(runMethod, checkOf("session"))(session, given),
    stats: (given) => runChecked(runMethod, checkOf("stats"))(stats, given),
    statsHistory: (given) => runChecked(runMethod, checkOf("statsHistory"))(statsHistory, given)
  }
}
