import { failure } from "../errors/PetstoreError.ts"

/** The request has no API key. Send `Authorization: Bearer <API_KEY>`. */
export class Unauthenticated extends failure(
  "Unauthenticated",
  "unauthenticated",
  401,
  () => "Send an API key as Authorization: Bearer <API_KEY>."
) {}

/** The key is wrong, expired or revoked: deliberately the same error for all three. */
export class InvalidApiKey extends failure(
  "InvalidApiKey",
  "invalid_api_key",
  401,
  () => "The API key is not valid."
) {}

/** The caller lacks the scope in `details`. */
export class InsufficientScope extends failure(
  "InsufficientScope",
  "insufficient_scope",
  403,
  ({ scope }: { readonly scope: string }) => `This needs the scope ${scope}.`
) {}

/** A web page of another origin sent a change, and `cors` does not allow that origin. */
export class CrossSiteRequest extends failure(
  "CrossSiteRequest",
  "cross_site_request",
  403,
  () => "Nothing was changed: a web page of another origin sent this, and the server's option cors does not allow it."
) {}

/** The account of the API key does not exist. */
export class UnknownAccount extends failure(
  "UnknownAccount",
  "unknown_account",
  409,
  ({ accountId }: { readonly accountId: number }) => `There is no account ${accountId}.`
) {}

/** The name is in use. Names are unique, ignoring case. */
export class AccountNameTaken extends failure(
  "AccountNameTaken",
  "account_name_taken",
  409,
  ({ name }: { readonly name: string }) =>
    `There is already an account named ${JSON.stringify(name)}. Names are unique, ignoring case.`
) {}

/** No other admin key is valid for 7 more days, or as long as this one. */
export class LastAdminKey extends failure(
  "LastAdminKey",
  "last_admin_key",
  409,
  ({ keyId }: { readonly keyId: number }) =>
    `API key ${keyId} is the last admin key: no other is valid for 7 more days or as long as this one. Create another admin key first, or rotate this one.`
) {}

/** As many streams of events are open as the key, its account or the server may have. Close one, or wait for the seconds in `Retry-After`. */
export class TooManyStreams extends failure(
  "TooManyStreams",
  "too_many_streams",
  429,
  ({ limit, of }: { readonly limit: number; readonly of: "key" | "share" | "server" }) =>
    ({
      key: `You have ${limit} streams of events open, and no more are allowed. Close one of them first.`,
      share: `You, or the callers of your account, have ${limit} streams of events open. What is left is kept for others. Close one of them, or try again later.`,
      server: `The server has ${limit} streams of events open, and no more are allowed. Try again later, or list the events.`
    })[of]
) {}

/** Too many requests. Wait for the seconds in `details`. */
export class RateLimited extends failure(
  "RateLimited",
  "rate_limited",
  429,
  ({ retryAfterSeconds }: { readonly retryAfterSeconds: number }) =>
    `Too many requests with this key. Retry after ${retryAfterSeconds} s.`
) {}
