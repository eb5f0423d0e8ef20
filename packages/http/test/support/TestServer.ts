import { memory } from "@petstore/core"
import type { Scope as KeyScope } from "@petstore/core/domain"
import { layer, type Runtime, UseCaseRunner, useCases } from "@petstore/core/runtime"
import { type PetstoreServer, type ServeOptions, serve } from "@petstore/http"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { deviations } from "./conformance.ts"
import { publishedOperation } from "./publishedOperation.ts"

/** A response, with its headers in lower case. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body, if it is JSON. */
  readonly body: unknown
}

export interface Sending {
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
}

/** A server on a store in memory, for tests. */
export interface TestServer {
  readonly server: PetstoreServer
  readonly runtime: Context.Context<Runtime>
  /** A key with all scopes. */
  readonly adminKey: string
  /** Creates a key with these scopes. */
  readonly keyWith: (scopes: ReadonlyArray<KeyScope>) => Effect.Effect<string>
  /**
   * Sends a request to a path, base path included, with the admin key unless another is given. Dies if the response
   * is not one that is published for it.
   */
  readonly send: (method: string, path: string, sending?: Sending) => Effect.Effect<Reply>
}

const adminKey = "test-admin-key-0123456789"

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Milliseconds for which a stream may be silent: a key that has taken more than its share of the event loop waits for its turn. */
const longestSilence = 25

const turnsOfEventLoop = async (count: number): Promise<undefined> => {
  const end = performance.now() + longestSilence
  for (let turn = 0; turn < count || performance.now() < end; turn++)
    await new Promise((resolve) => setImmediate(resolve))
  return undefined
}

/** The body of a response. A stream has no end, so it is read until this process, which is the server too, has nothing more to send. */
const textOf = async (response: Response): Promise<string> => {
  const { body } = response
  if (body === null || response.headers.get("content-type") !== "text/event-stream") return response.text()
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  for (;;) {
    const chunk = reader.read()
    const read = text === "" ? await chunk : await Promise.race([chunk, turnsOfEventLoop(100)])
    if (read?.value === undefined) break
    text += decoder.decode(read.value, { stream: true })
  }
  await reader.cancel()
  return text
}

/** Sends a request and reads the whole response, or the beginning of a stream. */
export const sendTo = (url: string, method: string, sending: Sending): Effect.Effect<Reply> =>
  Effect.promise(async (signal) => {
    const { body, headers = {}, key, raw } = sending
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(url, {
      method,
      signal,
      redirect: "error",
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(content === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(content === undefined ? {} : { body: content })
    })
    const text = await textOf(response)
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  })

/** Whether the headers and the paths of a server, this one included, are those of the document with all that there may be. */
const isAsPublished = ({ basePath, cors, metrics, mountPath }: ServeOptions, path: string): boolean =>
  basePath === undefined &&
  cors === undefined &&
  mountPath === undefined &&
  (metrics === true || !path.startsWith("/metrics"))

/** Checks a response against the API document. */
const check = (method: string, path: string, reply: Reply): void => {
  const operation = publishedOperation(method, path)
  if (operation === undefined) return
  const wrong = deviations(operation, reply, method)
  if (wrong.length > 0) throw new Error(`${method} ${path} sent a response that is not published: ${wrong.join("; ")}`)
}

/** Requests take real time, about which a test clock that nothing moves warns after a second. It does not once it was moved. */
const calmTestClock = Effect.flatMap(Clock.Clock, (clock) => ("adjust" in clock ? TestClock.adjust(0) : Effect.void))

/** Starts a server that stops with the scope. Where a runtime is `given`, it is served instead of a new one. */
export const startServer = (
  options: ServeOptions = {},
  given?: Context.Context<Runtime>
): Effect.Effect<TestServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    yield* calmTestClock
    const runtime = given ?? (yield* Layer.build(layer(memory())))
    const access = options.authenticate === undefined ? { adminKey: Redacted.make(adminKey) } : {}
    const server = yield* serve({ port: 0, idleGrace: 0, ...access, ...options }).pipe(Effect.provideContext(runtime))
    const account = yield* Effect.cached(
      Effect.map(
        Context.get(runtime, UseCaseRunner).call(useCases.accounts.create, { name: `Testers of ${server.port}` }),
        ({ value }) => value.id
      )
    )
    return {
      server,
      runtime,
      adminKey,
      keyWith: (scopes: ReadonlyArray<KeyScope>) =>
        account.pipe(
          Effect.flatMap((accountId) =>
            Context.get(runtime, UseCaseRunner).call(useCases.apiKeys.create, { accountId, name: "test", scopes })
          ),
          Effect.map(({ key }) => key),
          Effect.orDie
        ),
      send: (method: string, path: string, sending: Sending = {}) =>
        sendTo(server.url + path, method, "key" in sending ? sending : { key: adminKey, ...sending }).pipe(
          Effect.tap((reply) =>
            isAsPublished(options, path) ? Effect.sync(() => check(method, path, reply)) : Effect.void
          )
        )
    }
  }).pipe(Effect.orDie)
