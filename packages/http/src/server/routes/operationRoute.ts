import {
  allows,
  type EventQuery,
  type IncludeOption,
  InsufficientScope,
  InvalidIdempotencyKey,
  type PetstoreError,
  PreconditionFailed,
  parseIdempotencyKey,
  type Scope,
  shownEventTypes,
  ValidationFailed
} from "@petstore/core/domain"
import { ask, direct, goOn, map } from "@petstore/core/ports"
import { type PrincipalInfo, theStore } from "@petstore/core/runtime"
import type * as Clock from "effect/Clock"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { isCompressible, type Operation, pathTemplate } from "../../api/operations.ts"
import { allowedTypes, alwaysMissing, isOwnOnly, requiredScopes } from "../../api/requiredScopes.ts"
import { type Authenticate, actorOf, type Caller } from "../authentication/authentication.ts"
import type { Handler } from "../Handlers.ts"
import type { HttpResponse } from "../HttpResponse.ts"
import type { RateLimiter } from "../limits/RateLimiter.ts"
import type { WorkShares } from "../limits/WorkShares.ts"
import type { RequestContext } from "../RequestContext.ts"
import { argumentReader } from "../request/argumentReader.ts"
import { afterUnusedBody, readJson, receiveBody, refuseBody } from "../request/body.ts"
import { refuseCrossSite } from "../request/crossSite.ts"
import type { Compression } from "../response/compression.ts"
import { successResponse } from "../response/successResponse.ts"
import type { EventStreams, StreamQuery } from "../streams/EventStreams.ts"
import { DeprecatedOperation } from "./DeprecatedOperation.ts"
import type { PublicPaths } from "./PublicPaths.ts"
import type { Route } from "./Route.ts"

/** The dependencies that all operations share. */
export interface OperationDependencies {
  readonly authenticate: Authenticate
  /** Finds the handler of an operation. */
  readonly handlerOf: (operation: Operation) => Handler
  /** Undefined if requests are not limited. */
  readonly rateLimiter: RateLimiter | undefined
  readonly clock: Clock.Clock
  readonly paths: PublicPaths
  readonly bodyLimit: number
  readonly serveAfterSunset: boolean
  /** Makes those wait that take more than their share of the event loop. */
  readonly shares: WorkShares
  /** Opens the streams of operations that send events as they are committed. */
  readonly streams: EventStreams
  /** Undefined if nothing is compressed. */
  readonly compression: Compression | undefined
  /** Counts and logs the use of a deprecated operation. */
  readonly onDeprecatedUse: (deprecated: DeprecatedOperation, callerId: Caller["id"]) => void
}

const noTag = (): PreconditionFailed =>
  new PreconditionFailed(
    {},
    { message: "The target of a POST has no entity tag. Send neither If-Match, except with *, nor If-None-Match: *." }
  )

/** Rejects a caller who lacks a scope that every request to this operation needs. */
const refuseCaller = (operation: Operation, { scopes }: Caller): InsufficientScope | undefined => {
  const scope = alwaysMissing(operation, scopes)
  if (scope === undefined) return undefined
  const { bodyScope, ownScope, typeScopes } = operation
  const others = [
    ...(typeScopes === undefined ? [] : [`one of ${typeScopes.join(", ")} for events of its types`]),
    ...(ownScope === undefined ? [] : [`${ownScope} for your own orders`]),
    ...(bodyScope?.sufficesAlone === true ? [`${bodyScope.scope} for a body with ${bodyScope.field} alone`] : [])
  ]
  const last = others.pop()
  return new InsufficientScope(
    { scope },
    last === undefined ? undefined : { message: `This needs the scope ${[scope, ...others].join(", ")}, or ${last}.` }
  )
}

/** Rejects a body that needs a scope which its caller lacks. */
const refuseScopeOfBody = (operation: Operation, { scopes }: Caller, body: unknown): InsufficientScope | undefined => {
  const scope = requiredScopes(operation, scopes, body).find((needed) => !allows(scopes, needed))
  return scope === undefined ? undefined : new InsufficientScope({ scope })
}

/** Whether a request asks for records of orders whose owners its caller may not see. */
const hidesOwners = (ownersScope: Scope, { scopes }: Caller, query: unknown): boolean =>
  (query as IncludeOption).include !== undefined && !allows(scopes, ownersScope)

const readIdempotencyKey = (
  { idempotencyKey: use }: Operation,
  { request }: RequestContext
): string | InvalidIdempotencyKey | undefined => {
  if (use === "ignored") return undefined
  const header = request.header("idempotency-key")
  if (header === undefined) return undefined
  if (use === "rejected") return InvalidIdempotencyKey.ofOperation()
  return parseIdempotencyKey(header) ?? InvalidIdempotencyKey.of(header)
}

const identity = { principal: theStore, isPlain: true, onStart: () => undefined }

const principalOf = (operation: Operation, caller: Caller): PrincipalInfo => ({
  accountId: caller.accountId,
  user: caller.user,
  actor: actorOf(caller),
  ownOnly: isOwnOnly(operation, caller.scopes),
  eventTypes: operation.typeScopes && shownEventTypes(caller.scopes)
})

/** Identifies a caller. A command that this takes is none of the request, which it does not admit. */
const identified = (effect: Effect.Effect<Caller, PetstoreError>): Effect.Effect<Caller, PetstoreError> =>
  Exit.isExit(effect) ? effect : direct((asker, done) => ask(effect, { ...identity, services: asker.services }, done))

/** Runs the requests to an operation. All that does not depend on the request is computed once. */
class OperationRequests {
  readonly deprecated: DeprecatedOperation | undefined
  private readonly operation: Operation
  private readonly dependencies: OperationDependencies
  private readonly sunset: DeprecatedOperation | undefined
  private readonly readArguments: ReturnType<typeof argumentReader>
  private readonly respond: ReturnType<typeof successResponse>
  private readonly compression: Compression | undefined
  private readonly handle: Handler | undefined
  private readonly takesBody: boolean
  private readonly hasBodyScope: boolean
  /** Whether the scopes of its caller decide which events it shows. */
  private readonly selectsEvents: boolean
  private readonly isCommand: boolean
  /** The principals of callers who have the scopes. A key that a store has at hand is one frozen caller until it changes. */
  private readonly principals = new WeakMap<Caller, PrincipalInfo>()

  constructor(operation: Operation, dependencies: OperationDependencies) {
    const { handlerOf, paths, serveAfterSunset } = dependencies
    const { deprecation } = operation
    this.operation = operation
    this.dependencies = dependencies
    this.deprecated = deprecation && new DeprecatedOperation(operation, deprecation, paths)
    this.sunset = serveAfterSunset ? undefined : this.deprecated
    this.readArguments = argumentReader(operation)
    this.respond = successResponse(operation, paths)
    this.compression = isCompressible(operation) ? dependencies.compression : undefined
    this.handle = operation.streams === true ? undefined : handlerOf(operation)
    this.takesBody = operation.body !== undefined
    this.hasBodyScope = operation.bodyScope !== undefined
    this.selectsEvents = operation.typeScopes !== undefined && operation.query !== undefined
    this.isCommand = operation.method !== "GET"
  }

  readonly run = (context: RequestContext): Effect.Effect<HttpResponse, PetstoreError> => {
    const refusal = this.isCommand ? refuseCrossSite(context) : undefined
    if (refusal !== undefined) return Exit.fail(refusal)
    const { authenticate, bodyLimit, streams } = this.dependencies
    if (this.operation.streams === true) streams.begin(context)
    return goOn(identified(authenticate(context)), (caller) => {
      context.client = "authenticated"
      context.callerId = caller.id
      context.request.countTo?.(caller.id)
      context.actor = this.principals.get(caller)?.actor ?? actorOf(caller)
      return this.takesBody || !context.request.hasBody
        ? this.proceed(context, caller)
        : afterUnusedBody(context, bodyLimit, () => this.proceed(context, caller))
    })
  }

  private proceed(context: RequestContext, caller: Caller): Effect.Effect<HttpResponse, PetstoreError> {
    const { bodyLimit, clock, rateLimiter } = this.dependencies
    const refusal =
      this.accept(context, caller) ??
      this.sunset?.refusal(context.pathValues, clock.currentTimeMillisUnsafe()) ??
      rateLimiter?.spend(caller.id, context.headers) ??
      (this.takesBody ? refuseBody(context, bodyLimit) : undefined)
    if (refusal !== undefined) return Exit.fail(refusal)
    return this.inTurn(caller, () =>
      this.takesBody ? this.receive(context, caller) : this.perform(context, caller, undefined)
    )
  }

  private accept(context: RequestContext, caller: Caller): InsufficientScope | undefined {
    let principal = this.principals.get(caller)
    if (principal === undefined) {
      const refusal = refuseCaller(this.operation, caller)
      if (refusal !== undefined) return refusal
      principal = principalOf(this.operation, caller)
      if (Object.isFrozen(caller)) this.principals.set(caller, principal)
    }
    // A read that shows everyone the same is one of the owner of the store.
    if (!this.isCommand && principal.ownOnly !== true) return undefined
    context.principal = principal
    context.isPlain = false
    return undefined
  }

  private receive(context: RequestContext, caller: Caller): Effect.Effect<HttpResponse, PetstoreError> {
    const { bodyLimit, shares } = this.dependencies
    return goOn(receiveBody(context, bodyLimit, shares), (bytes) =>
      // Many bodies may have begun to arrive while the key was within its share.
      this.inTurn(caller, () => {
        const body = readJson(bytes)
        return Result.isFailure(body) ? Exit.fail(body.failure) : this.perform(context, caller, body.success)
      })
    )
  }

  private perform(context: RequestContext, caller: Caller, body: unknown): Effect.Effect<HttpResponse, PetstoreError> {
    const input = this.readArguments(context, body)
    if (Result.isFailure(input)) return Exit.fail(ValidationFailed.of(input.failure))
    const { ifMatch, ifNoneMatch, ifVersion, isImpossible, unlessVersion } = input.success
    const unscoped = this.hasBodyScope ? refuseScopeOfBody(this.operation, caller, input.success.body) : undefined
    if (unscoped !== undefined) return Exit.fail(unscoped)
    const query = this.selectsEvents
      ? // Its schema decoded the query.
        allowedTypes(this.operation, caller.scopes, input.success.query as EventQuery)
      : input.success.query
    if (query instanceof InsufficientScope) return Exit.fail(query)
    if (this.operation.ownersScope !== undefined && hidesOwners(this.operation.ownersScope, caller, query)) {
      context.principal = { ...principalOf(this.operation, caller), hidesOwners: true }
      context.isPlain = false
    }
    const idempotencyKey = this.isCommand ? readIdempotencyKey(this.operation, context) : undefined
    if (idempotencyKey instanceof InvalidIdempotencyKey) return Exit.fail(idempotencyKey)
    if (isImpossible === true) return Exit.fail(noTag())

    if (this.deprecated !== undefined) this.dependencies.onDeprecatedUse(this.deprecated, caller.id)
    // Its schema decoded the query.
    if (this.handle === undefined) return this.dependencies.streams.open(query as StreamQuery, context, caller)
    const handled = this.handle(input.success, query, { idempotencyKey, ifVersion, unlessVersion }, caller, context)
    const toResponse = (returned: unknown): HttpResponse => this.respond(returned, context, ifNoneMatch, ifMatch)
    const { compression } = this
    return compression === undefined
      ? map(handled, toResponse)
      : goOn(handled, (returned) => compression.apply(toResponse(returned), context))
  }

  /** Goes on at once, or when it is the turn of a caller who has taken more than their share of the event loop. */
  private inTurn<A>({ id }: Caller, next: () => Effect.Effect<A, PetstoreError>): Effect.Effect<A, PetstoreError> {
    const { shares } = this.dependencies
    return shares.mustWait(id) ? goOn(shares.turn(id), next) : next()
  }
}

/**
 * Makes the route of an operation. A request is authenticated, checked by its headers, received, validated, passed to the
 * handler, and its result becomes the response.
 */
export const operationRoute = (operation: Operation, dependencies: OperationDependencies): Route => {
  const { deprecated, run } = new OperationRequests(operation, dependencies)
  return {
    name: operation.id,
    template: pathTemplate(dependencies.paths.base + operation.path),
    kind: "operation",
    successes:
      operation.method === "GET" && operation.entityTag !== undefined ? [operation.status, 304] : [operation.status],
    ...(deprecated === undefined
      ? {}
      : { addHeaders: ({ headers, pathValues }: RequestContext) => deprecated.addHeaders(pathValues, headers) }),
    run
  }
}
