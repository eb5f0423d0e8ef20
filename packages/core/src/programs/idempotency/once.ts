import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { equalDigests } from "../../domain/access/ApiKeyToken.ts"
import { InvalidIdempotencyKey } from "../../domain/errors/InputErrors.ts"
import { type IdempotencyInProgress, IdempotencyKeyReused } from "../../domain/errors/RequestErrors.ts"
import { InternalError } from "../../domain/errors/ServiceErrors.ts"
import { isIdempotencyKey, storedKeyOf } from "../../domain/idempotency/IdempotencyKey.ts"
import { formatTimestamp, parseTimestamp } from "../../domain/Timestamp.ts"
import { type Command, Ended, fail, Known, orFail } from "../../kernel/Command.ts"
import { idempotencyKeys } from "../../tables/index.ts"
import type { Call } from "../Call.ts"
import type { CreateOptions } from "../Options.ts"
import { type Precondition, versionsOf } from "../precondition.ts"
import { type RepeatableCommand, resultSchemas } from "./resultSchemas.ts"

/** Why an idempotency key is rejected. */
export type IdempotencyError = InvalidIdempotencyKey | IdempotencyKeyReused | IdempotencyInProgress

/** Milliseconds. */
export const resultsKeptMillis = 7 * 24 * 60 * 60 * 1000
/**
 * Expired records are removed a few at a time, as new ones arrive, because a timer would keep the process alive. The first creation of a
 * process removes some too, because many processes never come to a second one.
 */
const purgeEvery = 32
const purgeAtMost = 64

/** Equal for inputs with the same meaning: the order of fields and undefined fields do not matter. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner
  )

/** The input of a change or deletion. The same change under another condition is another request. */
export const changeOf = (id: number, options: Precondition | undefined, update?: object) => ({
  ...update,
  id,
  ifVersion: versionsOf(options?.ifVersion),
  unlessVersion: versionsOf(options?.unlessVersion)
})

const noKey = new Known(undefined)

/**
 * Gives a use case at most one effect per idempotency key of an account, if it has a key. If the key is known, the use case ends here
 * with the earlier result; otherwise its result is kept in the same transaction. What stands behind this line happens once: the key is
 * locked, so none is rejected after another one with its key has succeeded. A rejected use case stores nothing and may succeed later with
 * the same key. `inputOf`: what repetitions must have in common.
 */
export const once = (
  call: Call,
  operation: RepeatableCommand,
  options: CreateOptions | undefined,
  inputOf: () => unknown
): Known<undefined> | Command<undefined, IdempotencyError | InternalError> => {
  const key = options?.idempotencyKey
  return key === undefined ? noKey : onceWith(call, operation, key, inputOf())
}

function* onceWith(
  call: Call,
  operation: RepeatableCommand,
  key: string,
  input: unknown
): Command<undefined, IdempotencyError | InternalError> {
  if (!isIdempotencyKey(key)) return yield* fail(InvalidIdempotencyKey.of(key))
  const { principal, shared, tx } = call
  const { accountId, user } = principal
  const fingerprint = shared.hasher.sha256(`${operation} ${canonical(input)}`)
  const ownKey = keyOf(key, user)
  // What the command creates is not older, also if the clock is set back while it runs.
  const createdAt = call.now()
  const record = yield* tx.lock(idempotencyKeys, storedKeyOf({ accountId, key: ownKey }))
  if (record !== undefined && record.createdAt > expiry(createdAt)) {
    if (!equalDigests(record.fingerprint, fingerprint)) return yield* fail(new IdempotencyKeyReused({}))
    return yield* new Ended(yield* orFail(resultOf(operation, record.result)))
  }
  call.keep = (value) => {
    const result = JSON.stringify(value)
    tx.save(idempotencyKeys, { accountId, key: ownKey, operation, fingerprint, result, createdAt })
    if (shared.keyed.count++ % purgeEvery === 0) tx.purge(idempotencyKeys, expiry(createdAt), purgeAtMost)
  }
  return undefined
}

/** The key as it is stored. No key contains a blank, so the keys of one user are never those of another. */
const keyOf = (key: string, user: string | undefined): string => (user === undefined ? key : `${key} ${user}`)

const expiry = (now: string): string => formatTimestamp((parseTimestamp(now) ?? 0) - resultsKeptMillis)

const resultOf = (operation: RepeatableCommand, json: string): Result.Result<unknown, InternalError> => {
  const schema: Schema.ConstraintDecoder<unknown> = resultSchemas[operation]
  return Result.mapError(
    Schema.decodeUnknownResult(schema)(JSON.parse(json)),
    (cause) => new InternalError({}, { cause })
  )
}
