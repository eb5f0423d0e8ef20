import type { CallOptions, ConsumersMethods } from "@petstore/core"
import type { Consumer, Page, PageQuery, ParkedEvent } from "@petstore/core/domain"
import { type callCheck, type RunMethod, runChecked, withoutOptions } from "@petstore/core/remote"
import * as Effect from "effect/Effect"
import type { ClientError } from "./ClientErrors.ts"
import type { Call } from "./operationCaller.ts"

/** The consumers of a remote petstore as effects. A consumer runs where its handler is, so that none is opened or removed here. */
export interface RemoteConsumers {
  /** Lists one page of the consumers of the database, in the order of their names. */
  readonly list: (query?: PageQuery) => Effect.Effect<Page<Consumer>, ClientError>
  /** Reads a consumer. */
  readonly get: (name: string) => Effect.Effect<Consumer, ClientError>
  /** Lists one page of the parked events of a consumer, in ascending order of `seq`. */
  readonly parked: (name: string, query?: PageQuery) => Effect.Effect<Page<ParkedEvent>, ClientError>
  /** Handles a parked event once more; a success removes it. */
  readonly replay: (name: string, seq: number) => Effect.Effect<void, ClientError>
  /** Forgets a parked event, so that it is never handled. */
  readonly discard: (name: string, seq: number) => Effect.Effect<void, ClientError>
}

export const remoteConsumers = (call: Call): RemoteConsumers => {
  const parkedOf = (consumerName: string, seq: number) => ({ params: { consumerName, seq } })
  return {
    list: withoutOptions(
      "events.consumers.list",
      (query: PageQuery = {}) => Effect.map(call("listConsumers", { query }), (page) => page as Page<Consumer>),
      1
    ),
    get: withoutOptions(
      "events.consumers.get",
      (consumerName: string) =>
        Effect.map(call("getConsumer", { params: { consumerName } }), (consumer) => consumer as Consumer),
      1
    ),
    parked: withoutOptions(
      "events.consumers.parked",
      (consumerName: string, query: PageQuery = {}) =>
        Effect.map(call("listParkedEvents", { params: { consumerName }, query }), (page) => page as Page<ParkedEvent>),
      2
    ),
    replay: withoutOptions(
      "events.consumers.replay",
      (name: string, seq: number) => Effect.asVoid(call("replayParkedEvent", parkedOf(name, seq))),
      2
    ),
    discard: withoutOptions(
      "events.consumers.discard",
      (name: string, seq: number) => Effect.asVoid(call("discardParkedEvent", parkedOf(name, seq))),
      2
    )
  }
}

/** The methods of `events.consumers` that a remote petstore has. */
export type RemoteConsumersMethods = Omit<ConsumersMethods, "remove">

type Rest = ReadonlyArray<unknown>

export const promiseRemoteConsumers = (
  consumers: RemoteConsumers,
  run: RunMethod<CallOptions>,
  check: typeof callCheck
): RemoteConsumersMethods => {
  const checked = (method: string, count: number) => runChecked(run, check(`events.consumers.${method}`, {}, count))
  const [list, get, parked] = [checked("list", 1), checked("get", 1), checked("parked", 2)]
  const [replay, discard] = [checked("replay", 2), checked("discard", 2)]
  return {
    list: (query, options, ...more: Rest) => list(consumers.list(query), options, more),
    get: (name, options, ...more: Rest) => get(consumers.get(name), options, more),
    parked: (name, query, options, ...more: Rest) => parked(consumers.parked(name, query), options, more),
    replay: (name, seq, options, ...more: Rest) => replay(consumers.replay(name, seq), options, more),
    discard: (name, seq, options, ...more: Rest) => discard(consumers.discard(name, seq), options, more)
  }
}
