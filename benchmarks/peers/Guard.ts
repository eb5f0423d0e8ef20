// The checks in front of every request: API key, scope, rate limit. And the headers that every response has.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { type Database, prepare } from "./Database.ts"

interface KeyRow {
  readonly id: number
  readonly digest: Uint8Array
  readonly previous_digest: Uint8Array | null
  readonly previous_until: string | null
  readonly scopes: string
  readonly expires_at: string | null
  readonly revoked: number
}

interface Bucket {
  tokens: number
  at: number
}

/** Why a request is refused. */
export interface Refusal {
  readonly status: 401 | 403 | 429
  readonly code: string
}

export interface Permit {
  readonly actor: string
}

export const problem = (status: number, code: string) => ({ code, message: "The request was refused.", status })

const bearer = /^Bearer psk_([1-9][0-9]{0,15})_([0-9A-Za-z]{43})[0-9A-Za-z]{6}$/

/** `perMinute`: the requests that each key may send. */
export const guard = (database: Database, perMinute: number) => {
  const find = prepare<KeyRow>(
    database,
    "SELECT id, digest, previous_digest, previous_until, scopes, expires_at, revoked FROM petstore_api_keys WHERE id = ?"
  )
  const buckets = new Map<number, Bucket>()
  const prefix = randomBytes(6).toString("hex")
  let requests = 0

  const matches = ({ digest, previous_digest, previous_until }: KeyRow, secret: string, now: string): boolean => {
    const sent = createHash("sha256").update(secret).digest()
    if (timingSafeEqual(digest, sent)) return true
    return (
      previous_digest !== null &&
      previous_until !== null &&
      previous_until > now &&
      timingSafeEqual(previous_digest, sent)
    )
  }

  const spend = (key: number, headers: Record<string, string>): boolean => {
    const now = Date.now()
    const bucket = buckets.get(key) ?? { tokens: perMinute, at: now }
    bucket.tokens = Math.min(perMinute, bucket.tokens + ((now - bucket.at) * perMinute) / 60_000)
    bucket.at = now
    buckets.set(key, bucket)
    const allowed = bucket.tokens >= 1
    if (allowed) bucket.tokens--
    headers["ratelimit-policy"] = `"default";q=${perMinute};w=60`
    headers.ratelimit = `"default";r=${Math.floor(bucket.tokens)};t=1`
    return allowed
  }

  return {
    headers: (sent: string | undefined): Record<string, string> => ({
      "x-request-id":
        sent !== undefined && /^[\w.:/+=@-]{1,128}$/.test(sent) ? sent : `${prefix}-${(++requests).toString(36)}`
    }),
    /** Adds the headers of the rate limit. */
    admit: (
      authorization: string | undefined,
      scopes: ReadonlyArray<string>,
      headers: Record<string, string>
    ): Permit | Refusal => {
      const [, id, secret] = bearer.exec(authorization ?? "") ?? []
      if (id === undefined || secret === undefined) return { status: 401, code: "unauthenticated" }
      const row = find.get(Number(id))
      const now = new Date().toISOString()
      if (row === undefined || row.revoked === 1 || !matches(row, secret, now))
        return { status: 401, code: "invalid_api_key" }
      if (row.expires_at !== null && row.expires_at <= now) return { status: 401, code: "invalid_api_key" }
      const granted: ReadonlyArray<string> = JSON.parse(row.scopes)
      if (!scopes.every((scope) => granted.includes(scope))) return { status: 403, code: "insufficient_scope" }
      return spend(row.id, headers) ? { actor: `key:${row.id}` } : { status: 429, code: "rate_limited" }
    }
  }
}

export type Guard = ReturnType<typeof guard>

/** What a response about the deprecated path of a pet has beside. */
export const deprecation = (id: string) => ({
  deprecation: "@1796428800",
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  link: `</docs>; rel="deprecation"; type="text/html", </docs>; rel="sunset"; type="text/html", </v1/store/pets/${id}>; rel="successor-version"`
})

export const idPattern = /^[1-9][0-9]{0,15}$/

/** The position in a list, as clients send it back. */
export const formatCursor = (after: number): string => Buffer.from(`1.${after}`).toString("base64url")

export const parseCursor = (cursor: string | null | undefined): number | undefined => {
  if (cursor === null || cursor === undefined) return 0
  const [, after] = /^1\.([0-9]{1,16})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? []
  return after === undefined ? undefined : Number(after)
}

export const nextLink = (status: string, after: number): string =>
  `</v1/pets?status=${status}&limit=20&cursor=${formatCursor(after)}>; rel="next"`
