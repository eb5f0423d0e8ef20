import { Unauthenticated } from "@petstore/core/domain"
import type { ApiKeys } from "@petstore/core/services"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Authenticate, Caller } from "./Caller.ts"

const admin: Caller = { id: 0, accountId: 0, scopes: ["admin"] }

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
export const apiKeyAuthentication = (
  apiKeys: ApiKeys["Service"],
  clock: Clock.Clock,
  adminKey: string | Redacted.Redacted<string> | undefined
): Authenticate => {
  const secret = Redacted.isRedacted(adminKey) ? Redacted.value(adminKey) : adminKey
  if (secret !== undefined && !strong.test(secret)) {
    throw new TypeError("adminKey must be 20 or more letters, digits and any of - . _ ~ + /, with = at its end only")
  }
  return (context) => {
    const authorization = context.header("authorization")
    const token = authorization === undefined ? undefined : bearer.exec(authorization)?.[1]
    if (token === undefined) return unauthenticated
    if (secret !== undefined && equalTexts(secret, token)) return Effect.succeed(admin)
    const { arrival } = context
    return apiKeys.authenticate(token, arrival && { group: arrival, clock })
  }
}
