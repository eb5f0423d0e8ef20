import { type Event, type EventType, type Page, parseWhole } from "@petstore/core/domain"
import type { EventSource } from "@petstore/core/remote"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { ClientError } from "../ClientErrors.ts"
import type { ClientSettings } from "../ClientOptions.ts"
import { errorOf, unexpectedResponse } from "../errorOf.ts"
import { type Failure, failed } from "../Failure.ts"
import type { OperationRequest } from "../inputCheck.ts"
import { type Call, encoderOf } from "../operationCaller.ts"
import type { EncodedRequest } from "../requestEncoder.ts"
import { readEvent } from "../responseDecoder.ts"
import { delayOf, withRetries } from "../retry.ts"
import { fetchResponse } from "../sendRequest.ts"
import { EventStreamParser, type Frame } from "./EventStreamParser.ts"
import { RemoteFollower } from "./RemoteFollower.ts"

/** The pieces of the body of a response, and how to give it up. */
interface Connection {
  /** The next piece; undefined at the end. */
  readonly next: Effect.Effect<Uint8Array | undefined, unknown>
  readonly close: () => void
  /** Fails because the body has something that no petstore sends. */
  readonly unexpected: (content: string) => Effect.Effect<never, Failure>
}

const eventStream = /^text\/event-stream[ \t]*(?:;|$)/i

/** Requests a stream. Succeeds when its headers have arrived. */
const connectStream = (request: EncodedRequest, settings: ClientSettings): Effect.Effect<Connection, Failure> =>
  Effect.suspend(() => {
    const abort = new AbortController()
    const connect: Effect.Effect<Response, ClientError> = fetchResponse(request, settings, abort.signal)
    return connect.pipe(
      Effect.matchEffect({
        onFailure: (error) => failed(error),
        onSuccess: (response) => accept(request, response, abort)
      }),
      Effect.onError(() => Effect.sync(() => abort.abort()))
    )
  })

const accept = (
  request: EncodedRequest,
  response: Response,
  abort: AbortController
): Effect.Effect<Connection, Failure> => {
  const { body, headers, status } = response
  const type = headers.get("content-type") ?? "no Content-Type"
  if (status === 200 && body !== null && eventStream.test(type)) {
    const reader = body.getReader()
    return Effect.succeed({
      next: Effect.tryPromise({ try: async () => (await reader.read()).value, catch: (error) => error }),
      close: () => {
        reader.cancel().catch(() => {})
        abort.abort()
      },
      unexpected: (content) => failed(unexpectedResponse(request, { status, headers, text: "" }, content))
    })
  }
  if (status === 200) return failed(unexpectedResponse(request, { status, headers, text: "" }, type))
  return Effect.flatMap(
    Effect.promise(() => response.text().catch(() => "")),
    (text) => failed(errorOf(request, { status, headers, text }), headers)
  )
}

/** After how many milliseconds without a byte a connection counts as lost: the server sends a heartbeat every 15 seconds. */
const silenceMillis = 45_000

/** What frames contain after a position. */
interface Received<T extends EventType> {
  readonly events: ReadonlyArray<Event<T>>
  readonly position: number
  /** What was found instead of an event; nothing after it is read. */
  readonly invalid?: string
}

/** The selected events in frames that are after a position. A repeated event is dropped. */
const eventsIn = <T extends EventType>(frames: ReadonlyArray<Frame>, received: number): Received<T> => {
  const events: Array<Event<T>> = []
  let position = received
  for (const { data, id } of frames) {
    const seq = parseWhole(id)
    if (seq === undefined && data !== undefined) return { events, position, invalid: `an event with the id "${id}"` }
    if (seq === undefined || seq <= position) continue
    if (data !== undefined) {
      const event = readEvent(data)
      if (Result.isFailure(event)) return { events, position, invalid: event.failure }
      // The server sends only types that were asked for.
      events.push(event.success as Event<T>)
    }
    position = seq
  }
  return { events, position }
}

/** How a connection went that has ended. */
interface Ended {
  /** Whether any bytes came. */
  readonly isAlive: boolean
  /** Milliseconds to wait before the next connection, by the server. */
  readonly reconnectionTime: number
}

/** Receives events until the connection ends, in whatever way. Fails if the bytes are not those of a petstore. */
const receive = <T extends EventType>(
  connection: Connection,
  follower: RemoteFollower<T>
): Effect.Effect<Ended, Failure> => {
  const parser = new EventStreamParser()
  let isAlive = false
  let problem: string | undefined
  const step: Effect.Effect<boolean, unknown> = Effect.gen(function* () {
    yield* follower.room
    const bytes = yield* Effect.timeout(connection.next, silenceMillis)
    if (bytes === undefined) return false
    const frames = parser.read(bytes)
    const { events, invalid, position } = eventsIn<T>(frames, follower.received)
    isAlive = true
    problem = invalid
    follower.push(events, position)
    return invalid === undefined
  })
  const loop: Effect.Effect<void, unknown> = Effect.suspend(() =>
    Effect.flatMap(step, (goesOn) => (goesOn ? loop : Effect.void))
  )
  return Effect.flatMap(Effect.exit(Effect.ensuring(loop, Effect.sync(connection.close))), () =>
    problem === undefined
      ? Effect.succeed({ isAlive, reconnectionTime: parser.reconnectionTime })
      : connection.unexpected(problem)
  )
}

/** The event log of a remote petstore. A connection that ends is made again, and continues where it was. */
export const remoteEvents = (call: Call, settings: ClientSettings): EventSource<ClientError> => {
  const encode = encoderOf("streamEvents")

  const connect = (query: OperationRequest["query"], received: number): Effect.Effect<Connection, Failure> =>
    Effect.suspend(() => {
      const request = encode({ query: { ...(query as object), after: received } }, {})
      if (Result.isFailure(request)) return Effect.fail({ error: request.failure, outcome: "refused", retryAfter: 0 })
      const stream: EncodedRequest = {
        ...request.success,
        headers: { ...request.success.headers, Accept: "text/event-stream" }
      }
      return connectStream(stream, settings)
    })

  const follow: EventSource<ClientError>["follow"] = Effect.fnUntraced(function* <T extends EventType>(
    after?: number,
    { subject, types }: { readonly subject?: string | undefined; readonly types?: ReadonlySet<T> | undefined } = {}
  ) {
    const query = {
      ...(subject === undefined ? {} : { subject }),
      ...(types === undefined ? {} : { types: [...types] })
    }
    const start = after ?? (yield* latest)
    const follower = new RemoteFollower<T>(start)
    const policy = { method: "GET", hasKey: false, repeatable: true }
    // The first connection is a request like others: it is retried a few times, and its error is the caller's.
    const first = yield* withRetries(connect(query, start), policy, settings)
    if (first === undefined) return yield* Effect.die(new TypeError("A read was retried as a deletion"))

    // Closed with the scope, even if that happens before the fiber below has begun.
    let open = first
    const stay = (connection: Connection, failures: number): Effect.Effect<void, Failure> =>
      Effect.flatMap(receive(connection, follower), ({ isAlive, reconnectionTime }) =>
        again(isAlive ? 0 : failures, reconnectionTime)
      )
    const again = (failures: number, retryAfter: number): Effect.Effect<void, Failure> =>
      Effect.gen(function* () {
        const delay = yield* delayOf(Math.min(failures, 30), settings)
        yield* Effect.sleep(Math.max(delay, Math.min(retryAfter, settings.maxDelay)))
        const exit = yield* Effect.exit(connect(query, follower.received))
        return exit
      }).pipe(
        Effect.flatMap((exit) => {
          if (Exit.isSuccess(exit)) {
            open = exit.value
            return stay(open, failures + 1)
          }
          return Effect.catchIf(
            Effect.failCause(exit.cause),
            ({ outcome }) => outcome !== "refused",
            (failure) => again(failures + 1, failure.retryAfter)
          )
        })
      )
    const live = Effect.catch(stay(first, 0), ({ error }) => Effect.sync(() => follower.fail(error)))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        follower.close()
        open.close()
      })
    )
    yield* Effect.forkScoped(live)
    return follower
  })

  const latest = Effect.map(call("getLatestEvent", {}), (body) => (body as { readonly seq: number }).seq)
  return {
    latest,
    list: (query = {}) => Effect.map(call("listEvents", { query }), (page) => page as Page<Event>),
    follow
  }
}
