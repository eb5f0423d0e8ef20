import { type InvalidApiKey, type Scope, Unauthenticated } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import type { ApiKeys } from "@petstore/core/services"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { HandlerOptions } from "../Options.ts"

/** Who asks: the number of an API key, 0 for the admin key of the server's own settings, or the name that the host gave. */
export interface Caller {
  readonly id: number | string
  readonly accountId: number
  /** Whose idempotency keys count, where those of the account are not shared. */
  readonly user?: string | undefined
  readonly scopes: ReadonlyArray<Scope>
}

const owner: Caller = { id: 0, accountId: 0, scopes: ["admin"] }

/** The credentials of the Bearer form (RFC 6750): one token of the token68 alphabet. */
const bearer = /^Bearer +([\w.~+/-]+=*)$/i

/** What an admin key of the settings may be: a token that nobody guesses. */
const strong = /^[\w.~+/-]{20,}=*$/

/** Compares without telling by its duration where two texts differ. */
const equalTexts = (known: string, sent: string): boolean => {
  let difference = known.length ^ sent.length
  for (let i = 0; i < known.length; i++) difference |= known.charCodeAt(i) ^ sent.charCodeAt(i % sent.length)
  return difference === 0
}

const unauthenticated = Effect.suspend(() => Effect.fail(new Unauthenticated({})))

/** Tells who asks by the `Authorization` header. */
export class Authenticator {
  private readonly apiKeys: ApiKeys["Service"]
  private readonly adminKey: string | undefined

  /** The admin key is known from memory alone; it is honoured for as long as it is set. */
  constructor(apiKeys: ApiKeys["Service"], adminKey: HandlerOptions["adminKey"]) {
    this.apiKeys = apiKeys
    this.adminKey = Redacted.isRedacted(adminKey) ? Redacted.value(adminKey) : adminKey
    if (this.adminKey !== undefined && !strong.test(this.adminKey)) {
      throw new TypeError("adminKey must be 20 or more letters, digits and any of - . _ ~ + /, with = at its end only")
    }
  }

  authenticate(
    authorization: string | undefined
  ): Effect.Effect<Caller, Unauthenticated | InvalidApiKey | StorageError> {
    const token = authorization === undefined ? undefined : bearer.exec(authorization)?.[1]
    if (token === undefined) return unauthenticated
    if (this.adminKey !== undefined && equalTexts(this.adminKey, token)) return Effect.succeed(owner)
    return this.apiKeys.authenticate(token)
  }
}
