// The checks in front of every request: API key, scope, rate limit. And the headers that every response has.

import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import { type Database, prepare } from "./Database.ts"

interface KeyRow {
  readonly id: number
  readonly account_id: number
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

/** Who sends a request: the key, and the account that its orders belong to. */
export interface Caller {
  readonly actor: string
  readonly owner: string | null
}

export const problem = (status: number, code: string) => ({ code, message: "The request was refused.", status })

/** What a token says, and the key that it names. */
interface Claim {
  readonly key: KeyRow
  readonly scopes: ReadonlyArray<string>
  readonly digest: Uint8Array
}

type FindClaim = (token: string) => Claim | undefined

const tokenPattern = /^psk_([1-9][0-9]{0,15})_([0-9A-Za-z]{43})[0-9A-Za-z]{6}$/

/** Reads the row of the key for each request. */
const readingClaims = (database: Database): FindClaim => {
  const find = prepare<KeyRow>(
    database,
    "SELECT id, account_id, digest, previous_digest, previous_until, scopes, expires_at, revoked FROM petstore_api_keys WHERE id = ?"
  )
  return (token) => {
    const [, id, secret = ""] = tokenPattern.exec(token) ?? []
    const key = id === undefined ? undefined : find.get(Number(id))
    if (key === undefined) return undefined
    return { key, scopes: JSON.parse(key.scopes), digest: hash("sha256", secret, "buffer") }
  }
}

/** The most claims that are kept. */
const capacity = 1_000

/**
 * Keeps claims as the petstore does: under the hash of their token, until another connection commits. That is checked once for the
 * requests of a turn of the event loop.
 */
const keepingClaims = (database: Database): FindClaim => {
  const read = readingClaims(database)
  const readVersion = prepare<{ readonly data_version: number }>(database, "PRAGMA data_version")
  const kept = new Map<string, Claim>()
  let version: number | undefined
  let isChecked = false
  const forgetChanged = (): void => {
    if (isChecked) return
    isChecked = true
    setImmediate(() => {
      isChecked = false
    })
    const current = readVersion.get()?.data_version
    if (current !== version || kept.size >= capacity) kept.clear()
    version = current
  }
  return (token) => {
    forgetChanged()
    const fingerprint = hash("sha256", token, "binary")
    const known = kept.get(fingerprint)
    if (known !== undefined) return known
    const claim = read(token)
    if (claim !== undefined) kept.set(fingerprint, claim)
    return claim
  }
}

/** How a guard finds the key of a request. */
export const claimFinders = { read: readingClaims, keep: keepingClaims } as const

/** `perMinute`: the requests that each key may send. */
export const guard = (find: FindClaim, perMinute: number) => {
  const buckets = new Map<number, Bucket>()
  const prefix = randomBytes(6).toString("hex")
  let requests = 0

  const matches = ({ digest, previous_digest, previous_until }: KeyRow, sent: Uint8Array, now: string): boolean => {
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
    headers["cache-control"] = "private, no-cache"
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
    ): Caller | Refusal => {
      if (!authorization?.startsWith("Bearer ")) return { status: 401, code: "unauthenticated" }
      const claim = find(authorization.slice("Bearer ".length))
      if (claim === undefined) return { status: 401, code: "invalid_api_key" }
      const { digest, key, scopes: granted } = claim
      const now = new Date().toISOString()
      const hasExpired = key.expires_at !== null && key.expires_at <= now
      if (key.revoked === 1 || hasExpired || !matches(key, digest, now)) return { status: 401, code: "invalid_api_key" }
      if (!scopes.every((scope) => granted.includes(scope))) return { status: 403, code: "insufficient_scope" }
      if (!spend(key.id, headers)) return { status: 429, code: "rate_limited" }
      return { actor: `key:${key.id}`, owner: String(key.account_id) }
    }
  }
}

export type Guard = ReturnType<typeof guard>

export const idPattern = /^[1-9][0-9]{0,15}$/

export const parseCursor = (cursor: string | null | undefined): number | undefined => {
  if (cursor === null || cursor === undefined) return 0
  const [, after] = /^1\.([0-9]{1,16})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? []
  return after === undefined ? undefined : Number(after)
}

export const nextLink = (status: string, after: number): string =>
  `</v1/pets?status=${status}&limit=20&cursor=${Buffer.from(`1.${after}`).toString("base64url")}>; rel="next"`
