import {
  allows,
  InsufficientScope,
  InvalidIdempotencyKey,
  type PetstoreError,
  PreconditionFailed,
  parseIdempotencyKey,
  ValidationFailed
} from "@petstore/core/domain"
import { OnTransactionStart } from "@petstore/core/ports"
import { Principal } from "@petstore/core/services"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isCompressible, type Operation } from "../../api/operations.ts"
import { alwaysMissing, requiredScopes } from "../../api/requiredScopes.ts"
import type { Answer } from "../Answer.ts"
import type { Caller } from "../authentication/Authenticator.ts"
import type { Exchange } from "../Exchange.ts"
import type { CommandOptions, Handlers } from "../Handlers.ts"
import type { RateLimiter } from "../limits/RateLimiter.ts"
import { type Arguments, argumentReader } from "../request/ArgumentReader.ts"
import { readJson, refuseBody } from "../request/jsonBody.ts"
import { onceArrived } from "../request/unusedBody.ts"
import type { Compression } from "../response/Compression.ts"
import { successAnswer } from "../response/successAnswer.ts"
import { DeprecatedOperation } from "./DeprecatedOperation.ts"
import type { PublicPaths } from "./PublicPaths.ts"
import type { Route } from "./Route.ts"

/** What all operations share. */
export interface OperationHost {
  /** Tells who asks. */
  readonly authenticate: (exchange: Exchange) => Effect.Effect<Caller, PetstoreError>
  readonly handlers: Handlers
  readonly rateLimiter: RateLimiter | undefined
  readonly clock: Clock.Clock
  readonly paths: PublicPaths
  readonly bodyLimit: number
  readonly serveAfterSunset: boolean
  /** Undefined where nothing is compressed. */
  readonly compression: Compression | undefined
  /** Notes that someone has used a deprecated operation. */
  readonly used: (deprecated: DeprecatedOperation, callerId: Caller["id"]) => void
}

/** Refuses a caller whom no body of this operation would be allowed. */
const refuseCaller = (operation: Operation, { scopes }: Caller): InsufficientScope | undefined => {
  const scope = alwaysMissing(operation, scopes)
  if (scope === undefined) return undefined
  const { bodyScope } = operation
  return new InsufficientScope(
    { scope },
    bodyScope?.sufficesAlone === true
      ? { message: `This needs the scope ${scope}, or ${bodyScope.scope} for a body with ${bodyScope.field} alone.` }
      : undefined
  )
}

/** Refuses a body that asks for more than its caller is allowed. */
const refuseScopeOfBody = (operation: Operation, { scopes }: Caller, body: unknown): InsufficientScope | undefined => {
  if (operation.bodyScope === undefined) return undefined
  const scope = requiredScopes(operation, body).find((needed) => !allows(scopes, needed))
  return scope === undefined ? undefined : new InsufficientScope({ scope })
}

const idempotencyKey = (
  { idempotencyKey: use }: Operation,
  header: string | undefined
): Result.Result<string | undefined, InvalidIdempotencyKey> => {
  if (header === undefined || use === "ignored") return Result.succeed(undefined)
  const key = use === "refused" ? undefined : parseIdempotencyKey(header)
  return key === undefined ? Result.fail(new InvalidIdempotencyKey({})) : Result.succeed(key)
}

const actorOf = ({ id }: Caller): string => (typeof id === "string" ? id : id === 0 ? "admin" : `key:${id}`)

/** Runs a command on behalf of a caller, and notes when its transaction begins. */
const onBehalfOf = <A, E, R>(caller: Caller, exchange: Exchange, command: Effect.Effect<A, E, R>) =>
  Effect.updateContext(command, (context: Context.Context<R>) =>
    Context.add(
      Context.add(context, Principal, {
        accountId: caller.accountId,
        user: caller.user,
        actor: actorOf(caller)
      }),
      OnTransactionStart,
      () => {
        exchange.phase = "admitted"
      }
    )
  )

/** Builds all that one operation needs, once: what is left for a request is about that request. */
export const operationRoute = (operation: Operation, host: OperationHost): Route => {
  const { authenticate, bodyLimit, clock, rateLimiter } = host
  const { deprecation } = operation
  const deprecated = deprecation === undefined ? undefined : new DeprecatedOperation(operation, deprecation, host.paths)
  const read = argumentReader(operation)
  const answer = successAnswer(operation, host.paths)
  const compression = isCompressible(operation) ? host.compression : undefined
  const takesBody = operation.body !== undefined
  const changes = operation.method !== "GET"
  // Its own arguments were read by the schemas of the same operation.
  const handle = host.handlers[operation.id] as (
    input: Pick<Arguments, "params" | "query" | "body"> & { readonly options: CommandOptions }
  ) => Effect.Effect<unknown, PetstoreError>

  const sunset = ({ values }: Exchange): PetstoreError | undefined =>
    host.serveAfterSunset ? undefined : deprecated?.ended(values, clock.currentTimeMillisUnsafe())

  const perform = (exchange: Exchange, caller: Caller, body: unknown): Effect.Effect<Answer, PetstoreError> => {
    const input = read(exchange, body)
    if (Result.isFailure(input)) return Effect.fail(ValidationFailed.of(input.failure))
    const { ifMatch, ifNoneMatch, ifVersion, isImpossible, unlessVersion, ...parts } = input.success
    const unscoped = refuseScopeOfBody(operation, caller, parts.body)
    if (unscoped !== undefined) return Effect.fail(unscoped)
    const key = idempotencyKey(operation, exchange.header("idempotency-key"))
    if (Result.isFailure(key)) return Effect.fail(key.failure)
    if (isImpossible === true) return Effect.fail(new PreconditionFailed({}))

    if (deprecated !== undefined) host.used(deprecated, caller.id)
    const command = handle({ ...parts, options: { idempotencyKey: key.success, ifVersion, unlessVersion } })
    const respond = (outcome: unknown): Answer => answer(outcome, exchange, ifNoneMatch, ifMatch)
    if (compression !== undefined) {
      return Effect.flatMap(command, (outcome) => compression.apply(respond(outcome), exchange))
    }
    return Effect.map(changes ? onBehalfOf(caller, exchange, command) : command, respond)
  }

  const receive = (exchange: Exchange, caller: Caller): Effect.Effect<Answer, PetstoreError> => {
    exchange.phase = "receiving"
    return Effect.flatMap(exchange.incoming.receive(bodyLimit), (bytes) => {
      exchange.phase = "running"
      const body = readJson(bytes)
      return Result.isFailure(body) ? Effect.fail(body.failure) : perform(exchange, caller, body.success)
    })
  }

  const proceed = (exchange: Exchange, caller: Caller): Effect.Effect<Answer, PetstoreError> => {
    const refusal =
      refuseCaller(operation, caller) ??
      sunset(exchange) ??
      rateLimiter?.spend(caller.id, exchange.headers) ??
      (takesBody ? refuseBody(exchange, bodyLimit) : undefined)
    if (refusal !== undefined) return Effect.fail(refusal)
    return takesBody ? receive(exchange, caller) : perform(exchange, caller, undefined)
  }

  return {
    name: operation.id,
    always: false,
    ...(deprecated === undefined
      ? {}
      : { announce: ({ headers, values }: Exchange) => deprecated.announce(values, headers) }),
    run: (exchange) =>
      Effect.flatMap(authenticate(exchange), (caller) => {
        exchange.standing = "caller"
        return takesBody ? proceed(exchange, caller) : onceArrived(exchange, bodyLimit, () => proceed(exchange, caller))
      })
  }
}
