import { closest, type PetstoreError, presets, Scope, shown, Unauthenticated } from "@petstore/core/domain"
import { ApiKeys, isActor, type Runtime } from "@petstore/core/runtime"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { HostRequest } from "../HttpRequest.ts"
import type { RequestContext } from "../RequestContext.ts"

/** Who sends a request. */
export interface Caller {
  /** The id of an API key, 0 for the admin key of the server's settings, or the actor that the host application named. */
  readonly id: number | string
  readonly accountId: number
  /** The user whose orders and idempotency keys count, if those of the account are not shared. */
  readonly user?: string | undefined
  readonly scopes: ReadonlyArray<Scope>
  /** What the API key is called, and when it expires. */
  readonly name?: string
  readonly expiresAt?: string
}

/** The name of a caller in the stock ledger. */
export const actorOf = ({ id }: Caller): string => (typeof id === "string" ? id : id === 0 ? "admin" : `key:${id}`)

/** Identifies the caller of a request; fails with a 401 if that is not possible. */
export type Authenticate = (context: RequestContext) => Effect.Effect<Caller, PetstoreError>

const admin: Caller = Object.freeze({ id: 0, accountId: 0, scopes: ["admin"] as const })

/** Credentials of the Bearer scheme (RFC 6750): one token of the token68 alphabet. */
const bearer = /^Bearer +([\w.~+/-]+=*)$/i

/** An admin key must be long enough that it cannot be guessed. */
const strong = /^[\w.~+/-]{20,}=*$/

/** Compares in a time that does not depend on where two texts differ. */
const equalTexts = (known: string, sent: string): boolean => {
  let difference = known.length ^ sent.length
  for (let i = 0; i < known.length; i++) difference |= known.charCodeAt(i) ^ sent.charCodeAt(i % sent.length)
  return difference === 0
}

const unauthenticated = Effect.suspend(() => Effect.fail(new Unauthenticated({})))

/**
 * Authenticates by the API key in the `Authorization` header. `adminKey` is never stored, and is valid for as long as it is
 * set. Throws a TypeError if it is too weak.
 */
const apiKeyAuthentication = (
  apiKeys: ApiKeys["Service"],
  clock: Clock.Clock,
  adminKey: string | Redacted.Redacted<string> | undefined
): Authenticate => {
  const secret = Redacted.isRedacted(adminKey) ? Redacted.value(adminKey) : adminKey
  if (secret !== undefined && !strong.test(secret)) {
    throw new TypeError("adminKey must be 20 or more letters, digits and any of - . _ ~ + /, with = at its end only")
  }
  return (context) => {
    const authorization = context.request.header("authorization")
    const token = authorization === undefined ? undefined : bearer.exec(authorization)?.[1]
    if (token === undefined) return unauthenticated
    if (secret !== undefined && equalTexts(secret, token)) return Effect.succeed(admin)
    return apiKeys.authenticate(token, { group: context.arrival, clock })
  }
}

/** The signed-in user of your app who sends a request. */
export interface HostPrincipal {
  /** The name in the stock ledger, such as `user:7`, of 1 to 200 characters. Each actor has a rate limit and a limit of streams of its own. */
  readonly actor: string
  /**
   * The account whose orders and idempotency keys these are, if several actors share theirs: for example the id of a company.
   * Default: each actor has their own.
   */
  readonly accountId?: number
  /** What they may do. Customers get `orders:own`: with `orders:read` and `orders:write`, they would see and change all orders. */
  readonly scopes: ReadonlyArray<Scope>
}

type Returned = HostPrincipal | null | undefined

const isScope = Schema.is(Scope)
const areScopes = Schema.is(Schema.Array(Scope))

const hasFields = (value: unknown): value is object => typeof value === "object" && value !== null

const isPrincipal = ({ accountId = 0, actor, scopes }: HostPrincipal): boolean =>
  isActor(actor) && Number.isSafeInteger(accountId) && accountId >= 0 && areScopes(scopes)

const scopeFault = (scope: unknown): string => {
  const meant = typeof scope === "string" ? closest(scope, Scope.literals) : undefined
  const preset = Object.keys(presets).find((name) => name === scope)
  if (preset !== undefined)
    return `must be scopes; did you mean presets.${preset}, all of whose scopes are in an array?`
  return `must be known scopes, not ${shown(scope)}; ${meant === undefined ? `these are ${Scope.literals.join(", ")}` : `did you mean ${meant}?`}`
}

const fields: ReadonlyArray<string> = ["accountId", "actor", "scopes"] satisfies ReadonlyArray<keyof HostPrincipal>

/** What is wrong with what `authenticate` returned. */
const principalFault = (returned: unknown): string => {
  if (!hasFields(returned) || Array.isArray(returned)) {
    return `authenticate must return the user as { actor, scopes }, or undefined or null if nobody is signed in, not ${shown(returned)}`
  }
  const { accountId, actor, scopes }: { accountId?: unknown; actor?: unknown; scopes?: unknown } = returned
  const [unknown] = Object.keys(returned).filter((name) => !fields.includes(name))
  if (actor === undefined && unknown !== undefined) {
    return `authenticate must return the user as { actor, scopes }, such as { actor: "user:7", scopes: presets.customer }, not an object with ${unknown} and no actor`
  }
  if (!isActor(actor)) {
    return `The actor that authenticate returns must be a text of 1 to 200 characters, such as "user:7", not ${shown(actor)}`
  }
  if (!Array.isArray(scopes)) {
    return `The scopes that authenticate returns must be an array, such as presets.customer or ["pets:read"], not ${shown(scopes)}`
  }
  const bad = scopes.find((scope) => !isScope(scope))
  return bad === undefined && scopes.every(isScope)
    ? `The accountId that authenticate returns must be a whole number of 0 or more, or absent, not ${shown(accountId)}`
    : `The scopes that authenticate returns ${scopeFault(bad)}`
}

const callerOf = (principal: Returned): Effect.Effect<Caller, Unauthenticated> => {
  if (principal === undefined || principal === null)
    return Effect.fail(new Unauthenticated({}, { message: "Sign in first." }))
  try {
    if (!hasFields(principal) || !isPrincipal(principal)) return Effect.die(new TypeError(principalFault(principal)))
    const { accountId, actor, scopes } = principal
    const account = accountId === undefined ? { accountId: 0, user: actor } : { accountId }
    return Effect.succeed({ id: actor, ...account, scopes })
  } catch {
    return Effect.die(new TypeError("The object that authenticate returns throws when its fields are read"))
  }
}

/**
 * Authenticates by the session of the host application. If that throws anything but a PetstoreError, it is an internal
 * error.
 */
const hostAuthentication =
  (authenticate: (request: HostRequest) => Returned | Promise<Returned>): Authenticate =>
  ({ request }) =>
    Effect.suspend(() => {
      const returned = authenticate(request.original)
      return hasFields(returned) && "then" in returned
        ? Effect.flatMap(
            Effect.promise(() => returned),
            callerOf
          )
        : callerOf(returned)
    })

/** The options of a handler that say how it authenticates. */
interface AuthenticationOptions {
  readonly adminKey?: string | Redacted.Redacted<string>
  authenticate?(request: HostRequest): Returned | Promise<Returned>
}

/** Authenticates by the host application if the options say so, else by API keys. */
export const authentication = (runtime: Context.Context<Runtime>, options: AuthenticationOptions): Authenticate => {
  if (options.authenticate === undefined) {
    return apiKeyAuthentication(Context.get(runtime, ApiKeys), Context.get(runtime, Clock.Clock), options.adminKey)
  }
  if (options.adminKey !== undefined) {
    throw new TypeError("Set either adminKey or authenticate: with authenticate, the key is never asked for")
  }
  return hostAuthentication((request) => options.authenticate?.(request))
}
