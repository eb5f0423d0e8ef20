import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import {
  CommitUnknown,
  type ErrorCode,
  InternalError,
  type Scope as OneScope,
  StorageBusy,
  StorageFull,
  StorageUnavailable
} from "@petstore/core/domain"
import { Storage } from "@petstore/core/ports"
import { layer, MessageQueue, type Runtime, type RuntimeOptions } from "@petstore/core/runtime"
import { endpoints, webhooks } from "@petstore/core/tables"
import { makeHandler, type ServeOptions } from "@petstore/http"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { changeRow } from "../../../core/test/support/writes.ts"
import { type Operation, operations } from "../../src/api/operations.ts"
import { RequestHandler } from "../../src/server/RequestHandler.ts"
import { Connections } from "../../src/server/transport/Connections.ts"
import { NodeHttpRequest } from "../../src/server/transport/NodeHttpRequest.ts"
import { ProtocolErrors } from "../../src/server/transport/ProtocolErrors.ts"
import { type Fault, type FaultyStorage, faultyStorage } from "./FaultyStorage.ts"
import { openConnection, type RawReply } from "./RawConnection.ts"
import { conflicts, populate, sampleRequests } from "./sampleStore.ts"
import { inVirtualTime } from "./scriptedFetch.ts"
import { type Reply, type Sending, startServer, type TestServer } from "./TestServer.ts"

/** A request to one operation that would succeed. */
export interface ValidRequest {
  readonly operation: Operation | undefined
  readonly method: string
  /** With the base path. */
  readonly path: string
  readonly sending: Sending
}

interface Sample extends TestServer, ValidRequest {
  /** Sends the request with these changes. */
  readonly request: (change?: Partial<ValidRequest>) => Effect.Effect<Reply>
  readonly fail: FaultyStorage["fail"]
  readonly useKeys: FaultyStorage["useKeys"]
  readonly forgetEvents: FaultyStorage["forgetEvents"]
}

/** A server on a store that {@link populate} filled. */
export interface SampleServer extends Omit<FaultyStorage, "adapter"> {
  readonly first: TestServer
  readonly messageId: string
}

/**
 * Triggers one response of the operation with this operationId: on the store of `shared`, which the other operations use before and
 * after it, if the request changes nothing, and otherwise on one of its own.
 */
export type Trigger = (id: string, shared: SampleServer) => Effect.Effect<Reply, never, Scope.Scope>

const probes: Readonly<Record<string, string>> = { getLiveness: "/health/live", getReadiness: "/health/ready" }

const validRequest = (id: string, messageId: string): ValidRequest => {
  const operation = operations.find((one) => one.id === id)
  const probe = probes[id]
  if (operation !== undefined) {
    const { needs: _needs, path, ...sending } = sampleRequests(messageId)[operation.id]
    return { operation, method: operation.method, path: `/v1${path}`, sending }
  }
  if (probe === undefined) throw new Error(`Add a sample request for ${id}`)
  return { operation, method: "GET", path: probe, sending: { key: undefined } }
}

const startSampleServerWith = (options: RuntimeOptions): Effect.Effect<SampleServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { adapter, ...control } = faultyStorage()
    const runtime: Context.Context<Runtime> = yield* Layer.build(layer(adapter, options))
    const first = yield* startServer({}, runtime)
    return { ...control, first, ...(yield* populate(first)) }
  }).pipe(Effect.orDie)

export const startSampleServer = startSampleServerWith({})

/** A valid request to the operation, on this server. */
const sampleOn = ({ messageId, ...control }: SampleServer, id: string, server: TestServer): Sample => {
  const valid = validRequest(id, messageId)
  return {
    ...server,
    ...valid,
    ...control,
    request: ({ method = valid.method, path = valid.path, sending = {} }: Partial<ValidRequest> = {}) =>
      server.send(method, path, {
        ...valid.sending,
        ...sending,
        headers: { ...valid.sending.headers, ...sending.headers }
      })
  }
}

/** A valid request to the operation on a server and a store of its own. */
const startSample = (id: string): Effect.Effect<Sample, never, Scope.Scope> =>
  Effect.map(startSampleServer, (sample) => sharing(id, sample))

/** A valid request to the operation on a server that others use, too. */
const sharing = (id: string, shared: SampleServer): Sample => sampleOn(shared, id, shared.first)

/** A valid request to the operation on a server with these options, on a store that others use, too. */
const sharingStore = (id: string, shared: SampleServer, options: ServeOptions) =>
  Effect.map(startServer(options, shared.first.runtime), (server) => sampleOn(shared, id, server))

/** A scope that does not allow an operation. */
export const foreignScope = (operation: Operation | undefined): OneScope =>
  operation?.scopes.includes("pets:read") ? "inventory:read" : "pets:read"

/** Sends the request with changes that make it one without effect. */
const changed =
  (change: (valid: ValidRequest) => Partial<ValidRequest>): Trigger =>
  (id, shared) => {
    const sample = sharing(id, shared)
    return sample.request(change(sample))
  }

const sending = (change: Sending): Trigger => changed(() => ({ sending: change }))

/** Puts another id in the path. */
const withId = (number: string, text: string) =>
  changed(({ path }) => ({
    path: path.replace(/\/\d+(?=\/|$)|msg_\w+|A-1|invoices/, (found) => (found.startsWith("/") ? `/${number}` : text))
  }))

/** Sends the request for events from the beginning after the first ones were removed. */
const expired: Trigger = (id, shared) => {
  const { forgetEvents, request } = sharing(id, shared)
  forgetEvents()
  return request()
}

/** Sends the request when webhooks are encrypted with a key that the server does not have. */
const encryptedElsewhere: Trigger = (id, shared) =>
  Effect.gen(function* () {
    const { runtime, request } = sharing(id, shared)
    const store = Context.get(runtime, Storage)
    const url = `sealed.v1.elsewher.${"A".repeat(72)}`
    for (const { webhook } of yield* store.select(endpoints, 0, 10)) {
      const encrypt = changeRow(store, webhooks, webhook.id, (record) => ({
        ...record,
        webhook: { ...webhook, url },
        secret: `whsec_${url}`
      }))
      yield* encrypt
    }
    return yield* request()
  }).pipe(Effect.orDie)

/** Sends the request while the store fails. `getSession` reads nothing but a key that the server has not seen. */
const failing =
  (fault: Fault): Trigger =>
  (id, shared) =>
    Effect.gen(function* () {
      const { request, fail, keyWith } = sharing(id, shared)
      const change = id === "getSession" ? { sending: { key: yield* keyWith(["pets:read"]) } } : {}
      fail(fault)
      return yield* Effect.ensuring(
        request(change),
        Effect.sync(() => fail(undefined))
      )
    })

const replyOf = ({ headers, ...rest }: RawReply): Reply => ({ ...rest, headers: new Headers(headers) })

/** Sends raw text, for requests that `fetch` cannot send. */
const raw =
  (text: (valid: ValidRequest) => string): Trigger =>
  (id, shared) =>
    Effect.gen(function* () {
      const { method, operation, path, sending: sample, server } = sharing(id, shared)
      const connection = yield* openConnection(server.port)
      yield* connection.write(text({ operation, method, path, sending: sample }))
      return replyOf(yield* connection.reply)
    })

/** Sends half of a request to a server with a short timeout. */
const halfSent: Trigger = (id, shared) =>
  Effect.gen(function* () {
    const { adminKey, runtime, method, operation, path } = sharing(id, shared)
    const handler = new RequestHandler(runtime, { adminKey: Redacted.make(adminKey) })
    const connections = new Connections(10)
    const errors = new ProtocolErrors(handler, connections, 0)
    const short = { headersTimeout: 20, requestTimeout: 20, connectionsCheckingInterval: 10 }
    const server = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const opened = createServer(short, (request, response) => {
          const connection = connections.of(request.socket)
          connection.begin(response)
          handler.handle(new NodeHttpRequest(request, response, false, connection))
        })
        await new Promise<void>((resolve) => opened.listen(0, "127.0.0.1", resolve))
        return opened.on("clientError", errors.onClientError)
      }),
      (opened) =>
        Effect.promise(async () => {
          const closed = new Promise((resolve) => opened.close(resolve))
          opened.closeAllConnections()
          await closed
        })
    )
    const connection = yield* openConnection((server.address() as AddressInfo).port)
    const head = `${method} ${path} HTTP/1.1\r\nHost: petstore\r\nAuthorization: Bearer ${adminKey}\r\n`
    const body = 'Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{"name":'
    yield* connection.write(operation?.body === undefined ? head : head + body)
    return replyOf(yield* connection.reply)
  })

const closedHandler: Trigger = (id, shared) =>
  Effect.gen(function* () {
    const { adminKey, runtime, method, path, sending: sample } = sharing(id, shared)
    const handler = yield* Effect.provideContext(makeHandler({ adminKey: Redacted.make(adminKey) }), runtime)
    return yield* Effect.promise(async () => {
      await handler.close()
      const response = await handler.fetch(
        new Request(`http://petstore${path}`, {
          method,
          headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
          ...(sample.body === undefined ? {} : { body: JSON.stringify(sample.body) })
        })
      )
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
    })
  })

/** Without an admin key of its own, a server keeps the last one in the store. */
const byHost: ServeOptions = { authenticate: () => ({ actor: "admin", scopes: ["admin"] }) }

/** Sends a request that the current state does not allow. */
const conflict =
  (code: ErrorCode): Trigger =>
  (id) =>
    Effect.gen(function* () {
      const fresh = yield* startSampleServer
      const started = yield* code === "last_admin_key"
        ? sharingStore(id, fresh, byHost)
        : Effect.succeed(sharing(id, fresh))
      const found = started.operation === undefined ? undefined : conflicts[code]?.[started.operation.id]
      if (found === undefined) throw new Error(`Add a request to which ${id} responds with ${code}`)
      for (const [method, path, body] of found.before ?? []) yield* started.send(method, `/v1${path}`, { body })
      const { path, ...sample } = found.request
      return yield* started.request({ path: `/v1${path}`, sending: sample })
    })

/** Sends an order with a pet by an account that may have drafts alone. */
const limited: Trigger = (id) =>
  Effect.gen(function* () {
    const { keyWith, request, send } = sharing(id, yield* startSampleServerWith({ orderLimits: { openOrders: 0 } }))
    const key = yield* keyWith(["orders:write"])
    yield* send("POST", "/v1/store/orders", { key, body: {} })
    const order = { petId: 2 }
    if (id === "updateOrder") return yield* request({ path: "/v1/store/orders/2", sending: { key, body: order } })
    return yield* request({ sending: { key, body: id === "placeOrders" ? { orders: [order] } : order } })
  })

/** Sends the request after the message was delivered. */
const afterDelivery: Trigger = (id) =>
  Effect.gen(function* () {
    const { runtime, request } = yield* startSample(id)
    const queue = Context.get(runtime, MessageQueue)
    const { items } = yield* queue.recordAndClaim([], 1, 30_000)
    for (const { fence, id } of items)
      yield* queue.recordAndClaim([{ item: { id, fence }, outcome: "delivered" }], 0, 0)
    return yield* request()
  }).pipe(Effect.orDie)

/** Sends the request, with conditions if the operation ignores them. */
const success: Trigger = (id, shared) =>
  Effect.gen(function* () {
    const sample = sharing(id, shared)
    const { method, operation, request } = sample.method === "GET" ? sample : yield* startSample(id)
    const ignored = operation !== undefined && operation.entityTag === undefined
    const headers = { "if-match": '"v999"', "if-none-match": "*" }
    return yield* request(ignored && method === "GET" ? { sending: { headers } } : {})
  })

const concurrent: Trigger = (id, shared) => {
  const { request, useKeys } = sharing(id, shared)
  useKeys()
  return request({ sending: { headers: { "idempotency-key": "used" } } })
}

/** Uses the key of the request for a message before. */
const otherInput: Trigger = (id, shared) =>
  Effect.gen(function* () {
    const { request, sending: sample } = sharing(id, shared)
    const headers = { "idempotency-key": `used-${id}` }
    yield* request({ method: "POST", path: "/v1/messages", sending: { headers, body: { message: "Hello" } } })
    const other = id === "enqueueMessage" ? { body: { message: "Bye" } } : sample
    return yield* request({ sending: { ...other, headers } })
  })

/** A query of a list that needs an index which the sample server lacks. */
const unindexed = (path: string): string => {
  if (path.includes("/events")) return "subject=orders/1&sort=-seq"
  return path.includes("/inventory") ? "sort=available" : "sort=-updatedAt"
}

/** Triggers of each error code, and of successes by their status. */
export const errorTriggers: Readonly<Record<string, Trigger>> = {
  200: success,
  201: success,
  202: success,
  204: success,
  304: sending({ headers: { "if-none-match": "*" } }),

  malformed_request: raw(({ method, path }) => `${method} ${path} HTTP/1.1\r\n\r\n`),
  headers_too_large: raw(
    ({ method, path }) => `${method} ${path} HTTP/1.1\r\nHost: x\r\nLong: ${"x".repeat(20_000)}\r\n\r\n`
  ),
  incomplete_request: halfSent,

  method_not_allowed: changed(({ path }) => ({ method: path.includes("/reservation") ? "PATCH" : "PUT" })),
  unauthenticated: sending({ key: undefined }),
  invalid_api_key: sending({ key: "psk_1_wrong" }),
  insufficient_scope: (id, shared) =>
    Effect.gen(function* () {
      const { request, keyWith, operation } = sharing(id, shared)
      return yield* request({ sending: { key: yield* keyWith([foreignScope(operation)]) } })
    }),
  cross_site_request: sending({ headers: { "sec-fetch-site": "cross-site" } }),
  operation_sunset: (id) =>
    Effect.gen(function* () {
      const { request } = yield* startSample(id)
      yield* TestClock.setTime(Date.parse("2030-12-05T00:00:00Z"))
      return yield* request()
    }),
  rate_limited: (id, shared) =>
    Effect.gen(function* () {
      const { request } = yield* sharingStore(id, shared, { rateLimit: 1 })
      yield* request({ method: "GET", path: "/v1/pets", sending: { body: undefined } })
      return yield* request()
    }),

  unsupported_content_type: sending({ headers: { "content-type": "text/plain" } }),
  payload_too_large: sending({ raw: " ".repeat(262_145) }),
  malformed_json: sending({ raw: "{" }),
  validation_failed: changed(({ path }) => ({ path: `${path}${path.includes("?") ? "&" : "?"}colour=red` })),
  invalid_cursor: changed(({ path }) => ({ path: `${path.replace(/\?.*/, "")}?cursor=forged` })),
  not_indexed: changed(({ path }) => ({ path: path.replace(/(\?.*)?$/, `?${unindexed(path)}`) })),
  invalid_idempotency_key: sending({ headers: { "idempotency-key": "a b" } }),
  message_already_delivered: afterDelivery,
  order_limit_exceeded: limited,
  idempotency_in_progress: concurrent,
  idempotency_key_reused: otherInput,

  cursor_expired: expired,
  not_found: (id, shared) =>
    id === "setInventory"
      ? sending({ body: { items: [{ petId: 999, quantity: 0 }] } })(id, shared)
      : id === "adjustSeveral"
        ? sending({ body: { adjustments: [{ petId: 999, delta: 1, reason: "received" }] } })(id, shared)
        : id === "requeueDeliveries"
          ? sending({ body: { status: "failed", webhookId: 999 } })(id, shared)
          : withId("999", "msg_0")(id, shared),
  precondition_failed: sending({ headers: { "if-match": '"v999"' } }),
  ...Object.fromEntries((Object.keys(conflicts) as ReadonlyArray<ErrorCode>).map((code) => [code, conflict(code)])),

  internal_error: failing(Effect.fail(new InternalError({}, { cause: new Error("The disk is on fire") }))),
  storage_busy: failing(Effect.fail(new StorageBusy({}))),
  storage_full: failing(Effect.fail(new StorageFull({}))),
  storage_unavailable: failing(Effect.fail(new StorageUnavailable({}))),
  secret_unreadable: encryptedElsewhere,
  commit_unknown: failing(Effect.fail(new CommitUnknown({}))),
  overloaded: (id, shared) => Effect.flatMap(sharingStore(id, shared, { waitingLimit: 0 }), ({ request }) => request()),
  too_many_streams: (id, shared) =>
    Effect.flatMap(sharingStore(id, shared, { streamsPerKey: 0 }), ({ request }) => request()),
  shutting_down: closedHandler,
  request_timeout: (id, shared) => inVirtualTime(failing(Effect.never)(id, shared), 5_000)
}
