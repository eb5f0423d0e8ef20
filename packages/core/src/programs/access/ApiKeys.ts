import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { InvalidApiKey, LastAdminKey, UnknownAccount } from "../../domain/access/AccessErrors.ts"
import {
  type ApiKey,
  type ApiKeyRotation,
  type ApiKeyWithSecret,
  checkEnd,
  hasEnded,
  type NewApiKey,
  scopesOf,
  successorNeededAt
} from "../../domain/access/ApiKey.ts"
import {
  crc32,
  equalDigests,
  formatToken,
  maxTokenLength,
  parseToken,
  secretFromBytes
} from "../../domain/access/ApiKeyToken.ts"
import type { NotFound } from "../../domain/errors/RequestErrors.ts"
import { newEvent } from "../../domain/events/Event.ts"
import type { ApiKeyEventData } from "../../domain/events/eventData.ts"
import type { Page } from "../../domain/Page.ts"
import type { ListQuery } from "../../domain/PageQuery.ts"
import { formatTimestamp, parseTimestamp } from "../../domain/Timestamp.ts"
import { type Command, fail, orFail } from "../../kernel/Command.ts"
import { asking, goOn, map, orElse } from "../../ports/Direct.ts"
import type { Hasher } from "../../ports/Hasher.ts"
import { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { ApiKeyRecord } from "../../tables/accessTables.ts"
import { accounts, adminKeysAfter, apiKeysAfter, apiKeysBefore, apiKeys as table } from "../../tables/index.ts"
import type { Call, Reading } from "../Call.ts"
import { Commands } from "../Commands.ts"
import { changeOf, once } from "../idempotency/once.ts"
import { notFound } from "../notFound.ts"
import type { CallOptions, ChangeOptions, Versioned } from "../Options.ts"
import { directionOf, pageOf } from "../pagination.ts"
import { checkVersion } from "../precondition.ts"
import { storeTime } from "../time.ts"

/** Another number after each rotation and each recorded use: a checksum, since a key has no history. */
const versionOf = ({ digest, key }: ApiKeyRecord): number => 1 + crc32(`${digest} ${key.lastUsedAt}`)

/** How many admin keys are looked at together. */
const adminKeysPage = 100

/** Whether another key than this one is an admin key that has not ended at a time. */
function* hasOtherAdmin({ tx }: Call, id: number, at: string): Command<boolean> {
  for (let after = 0; ; ) {
    const page = yield* tx.all(adminKeysAfter, after, adminKeysPage)
    if (page.some(({ key }) => key.id !== id && !hasEnded(key, at))) return true
    const last = page.at(-1)
    if (last === undefined || page.length < adminKeysPage) return false
    after = last.key.id
  }
}

const defaultGraceSeconds = 24 * 60 * 60
const touchEveryMillis = 60_000

/** Whether a use at this time is recorded already. A time before the last one means that the clock was wrong. */
const isRecent = (last: number | undefined, millis: number): boolean =>
  last !== undefined && last <= millis && millis < last + touchEveryMillis

const isExitOf = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)

const after = (now: string, seconds: number): string => formatTimestamp((parseTimestamp(now) ?? 0) + seconds * 1000)

/** A request whose key is asked for, when it arrives. */
export interface Arrival {
  /** The same object for requests that were waiting at the same time, of which the first may have its key checked for all. */
  readonly group: object | undefined
  readonly clock: Clock.Clock
}

/** How a key is revoked. */
export interface RevokeOptions {
  /** Whether an admin key exists outside the store, such as `adminKey` of a handler: then the last one in the store can be revoked. */
  readonly adminOutsideStore?: boolean
}

/** The methods of `petstore.apiKeys`. */
export interface ApiKeyMethods<Options extends CallOptions = CallOptions> {
  /** Creates an API key. Only this result and that of {@link rotate} contain the secret. Fails with `unknown_account`. */
  create(key: NewApiKey, options?: Options): Promise<ApiKeyWithSecret>
  /** Reads an API key, without its secret. Its version changes with each recorded use. Fails with `not_found`. */
  get(keyId: number, options?: Options): Promise<Versioned<ApiKey>>
  /** Lists one page of API keys, in ascending order of ids. */
  list(query?: ListQuery, options?: Options): Promise<Page<ApiKey>>
  /** Iterates over all API keys, a page at a time. */
  all(query?: ListQuery, options?: Options): AsyncIterable<ApiKey>
  /** Gives a key a new secret; the old one works for `graceSeconds` more. Default: 24 hours. Fails with `not_found`. */
  rotate(keyId: number, rotation?: ApiKeyRotation, options?: Options): Promise<ApiKeyWithSecret>
  /**
   * Revokes a key at once. The last admin key cannot be revoked: another must work for 7 more days, or as long as this one.
   * Create one first, or rotate this one with `graceSeconds: 0`. Fails with `not_found`, `precondition_failed`, `last_admin_key`.
   */
  revoke(keyId: number, options?: ChangeOptions & Options): Promise<void>
}

function* lockKey({ tx }: Call, id: number): Command<ApiKeyRecord, NotFound> {
  return (yield* tx.lock(table, id)) ?? (yield* notFound("API key", id))
}

/** A secret, and what the store has of it. */
const newSecret = ({ shared: { hasher } }: Call) => {
  const secret = secretFromBytes(hasher.randomBytes(32))
  return { secret, digest: hasher.sha256(secret) }
}

function* createKey(call: Call, input: NewApiKey): Command<ApiKeyWithSecret, UnknownAccount> {
  const { accountId, expiresAt, name } = input
  if ((yield* call.tx.find(accounts, accountId)) === undefined) yield* fail(new UnknownAccount({ accountId }))
  const { digest, secret } = newSecret(call)
  const createdAt = call.now()
  const key = {
    accountId,
    name,
    scopes: scopesOf(input),
    createdAt,
    ...(expiresAt === undefined ? {} : { expiresAt })
  }
  const row = yield* call.tx.insert(table, (id) => ({ key: { id, ...key }, digest, revoked: false }))
  const { id } = row.key
  call.record(createdAt, [newEvent("apiKey.created", { id, ...key })])
  return { id, ...key, key: formatToken(id, secret) }
}

/** What events show of a key. */
const shownOf = ({ key: { lastUsedAt: _, ...key } }: ApiKeyRecord): ApiKeyEventData => key

export const apiKeyQueries = {
  *get({ rows }: Reading, id: number) {
    const record = (yield* rows.find(table, id)) ?? (yield* notFound("API key", id))
    return { ...record.key, version: versionOf(record) }
  },

  *list({ rows }: Reading, query: ListQuery = {}) {
    const { by, sort, start } = directionOf(query.sort, apiKeysAfter, apiKeysBefore)
    return yield* pageOf(query, {
      list: "api-keys",
      filters: { sort },
      start,
      rows: (after, limit) => rows.all(by, after, limit),
      position: ({ key }) => key.id,
      item: ({ key }) => key
    })
  }
}

/** The commands that change API keys. Only creation and rotation return the secret; it is never stored. */
export const apiKeyCommands = {
  *create(call: Call, input: NewApiKey) {
    yield* orFail(checkEnd(input, call.clockTime()))
    return yield* createKey(call, input)
  },

  *rotate(call: Call, id: number, { graceSeconds = defaultGraceSeconds }: ApiKeyRotation = {}) {
    const record = yield* lockKey(call, id)
    const { digest, secret } = newSecret(call)
    const previous = { digest: record.digest, until: after(call.clockTime(), graceSeconds) }
    call.tx.save(table, { ...record, digest, previous })
    call.record(call.now(), [newEvent("apiKey.rotated", shownOf(record))])
    return { ...record.key, key: formatToken(id, secret) }
  },

  *revoke(call: Call, id: number, { adminOutsideStore = false, ...options }: ChangeOptions & RevokeOptions = {}) {
    yield* once(call, "apiKeys.revoke", options, () => changeOf(id, options))
    const record = yield* lockKey(call, id)
    yield* orFail(checkVersion(versionOf(record), options))
    // If only permanent keys counted, shops with short-lived keys could revoke none; if any did, one that expires in a second would do.
    const at = adminOutsideStore ? undefined : successorNeededAt(record.key, call.clockTime())
    if (at !== undefined && !(yield* hasOtherAdmin(call, id, at))) return yield* fail(new LastAdminKey({ keyId: id }))
    call.tx.save(table, { ...record, revoked: true })
    call.record(call.now(), [newEvent("apiKey.revoked", shownOf(record))])
    return { id }
  }
}

/** What a token of an API key says. */
interface VerifiedToken {
  readonly id: number
  /** The digest of its secret. */
  readonly digest: Uint8Array
  /** The record that last had this secret, of a key without an end: a record does not change. */
  record?: ApiKeyRecord | undefined
}

/** Whether a record accepts a secret. `now`: called only for a key with an end. */
const accepts = (record: ApiKeyRecord, digest: Uint8Array, now: () => string): boolean => {
  const current = equalDigests(record.digest, digest)
  const before = equalDigests(record.previous?.digest ?? record.digest, digest)
  const inGrace = record.previous !== undefined && record.previous.until > now()
  const isOver = record.key.expiresAt !== undefined && hasEnded(record.key, now())
  return !isOver && (current || (before && inGrace))
}

/** Whether a record will always be accepted with the secret with which it is: it has no end, and does not change. */
const lasts = (record: ApiKeyRecord): boolean =>
  record.previous === undefined && record.key.expiresAt === undefined && Object.isFrozen(record)

/** The most tokens that are remembered. */
const tokenCapacity = 1_000

/**
 * Remembers what the tokens of accepted requests say, so that their next requests need one hash, and neither parse nor
 * verify the checksum. Whether the key is still valid is not remembered. Keeps no token: only its SHA-256.
 */
export class VerifiedTokens {
  private readonly fingerprint: Hasher["Service"]["fingerprint"]
  /** In the order in which they were accepted first. */
  private readonly byFingerprint = new Map<string, VerifiedToken>()

  constructor({ fingerprint }: Hasher["Service"]) {
    this.fingerprint = fingerprint
  }

  get size(): number {
    return this.byFingerprint.size
  }

  find(token: string): VerifiedToken | undefined {
    return this.byFingerprint.get(this.fingerprint(token))
  }

  /** Remembers a token. Only for one that was accepted: or others could fill the memory. */
  add(token: string, verified: VerifiedToken): void {
    if (this.byFingerprint.size >= tokenCapacity) this.deleteOldest()
    this.byFingerprint.set(this.fingerprint(token), verified)
  }

  delete(token: string): void {
    this.byFingerprint.delete(this.fingerprint(token))
  }

  private deleteOldest(): void {
    const [oldest] = this.byFingerprint.keys()
    if (oldest !== undefined) this.byFingerprint.delete(oldest)
  }
}

/** Records when keys are used. */
const recordedUses = (runCommand: Commands["Service"]["run"]) => {
  /** When the use of each key was recorded, in milliseconds. */
  const touches = new Map<number, number>()
  /** Records the use of a key, at most once a minute, without making the request wait or fail. */
  const touch = (id: number, now: string): Effect.Effect<void> => {
    const millis = Date.parse(now)
    if (isRecent(touches.get(id), millis)) return Exit.void
    touches.set(id, millis)
    return Effect.asVoid(
      Effect.forkDetach(
        Effect.ignore(
          runCommand("apiKeys.touch", function* ({ tx }) {
            const record = yield* tx.lock(table, id)
            if (record !== undefined) tx.save(table, { ...record, key: { ...record.key, lastUsedAt: now } })
          })
        )
      )
    )
  }
  return { touch, touches }
}

/** Checks API keys, and creates the first one. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /**
     * The key of a bearer token; the same error for wrong, expired and revoked keys. With an `arrival`, returns the exit of a key
     * that is known, so that it takes no fiber.
     */
    readonly authenticate: (token: string, arrival?: Arrival) => Effect.Effect<ApiKey, InvalidApiKey | StorageError>
    /** Creates a key unless there is a valid one with the scope `admin`; undefined then. Of several at the same time, one creates it. */
    readonly createFirst: (key: NewApiKey) => Effect.Effect<ApiKeyWithSecret | undefined, UnknownAccount | StorageError>
    /** Whether there is a valid key with the scope `admin`. */
    readonly hasAdmin: Effect.Effect<boolean, StorageError>
  }
>()("@petstore/core/access/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const storage = yield* Storage
      const { run: runCommand, shared } = yield* Commands
      const { hasher, journal } = shared

      const storeTimeOf = storeTime(storage)
      const { touch, touches } = recordedUses(runCommand)
      const tokens = new VerifiedTokens(hasher)
      const invalid = asking(() => Exit.fail(new InvalidApiKey({})))
      const isInvalid = (error: InvalidApiKey | StorageError): error is InvalidApiKey => error instanceof InvalidApiKey

      /** Reads the key of a token, and checks that it is valid now. */
      const keyOf = (
        { digest, id }: VerifiedToken,
        arrival: Arrival | undefined
      ): Effect.Effect<ApiKey, InvalidApiKey | StorageError> => {
        const check = (record: ApiKeyRecord | undefined) =>
          goOn(journal.clockTime, (now) =>
            record === undefined || !accepts(record, digest, () => now)
              ? invalid
              : map(touch(id, now), () => record.key)
          )
        const fresh = () => goOn(storage.find(table, id), check)
        if (storage.findCached === undefined) return fresh()
        return goOn(storage.findCached(table, id, arrival?.group), (record) =>
          // A secret that another process has just set works at once.
          record === undefined ? invalid : orElse(check(record), isInvalid, fresh)
        )
      }

      /** The key of a token if it is valid and at hand, and its use was recorded lately; undefined if only `keyOf` can tell. */
      const keyAtHand = (token: VerifiedToken, { clock, group }: Arrival): ApiKey | undefined => {
        const { digest, id } = token
        const cached = storage.findCached?.(table, id, group)
        if (cached === undefined || !isExitOf(cached) || Exit.isFailure(cached)) return undefined
        const record = cached.value
        if (record === undefined) return undefined
        if (record !== token.record && !accepts(record, digest, () => journal.timeOf(clock))) return undefined
        if (lasts(record)) token.record = record
        return isRecent(touches.get(id), storeTimeOf(clock)) ? record.key : undefined
      }

      return {
        createFirst: (input) =>
          runCommand("apiKeys.create", function* (call) {
            // Until this transaction ends, no other one gets beyond this line.
            if (yield* hasOtherAdmin(call, 0, call.clockTime())) return undefined
            return yield* createKey(call, input)
          }),

        authenticate: (token, arrival) => {
          if (token.length > maxTokenLength) return invalid
          const verified = tokens.find(token)
          if (verified !== undefined) {
            const known = arrival === undefined ? undefined : keyAtHand(verified, arrival)
            if (known !== undefined) return Exit.succeed(known)
            return orElse(keyOf(verified, arrival), isInvalid, (refusal) => {
              tokens.delete(token)
              return Exit.fail(refusal)
            })
          }
          const parsed = parseToken(token)
          if (parsed === undefined) return invalid
          const read = { id: parsed.id, digest: hasher.sha256(parsed.secret) }
          return map(keyOf(read, arrival), (key) => {
            tokens.add(token, read)
            return key
          })
        },

        hasAdmin: runCommand("apiKeys.hasAdmin", function* (call) {
          return yield* hasOtherAdmin(call, 0, call.clockTime())
        })
      }
    })
  )
}
