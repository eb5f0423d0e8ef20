import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { equalDigests } from "../domain/ApiKeyToken.ts"
import { InvalidIdempotencyKey } from "../domain/errors/InputErrors.ts"
import { type IdempotencyInProgress, IdempotencyKeyReused } from "../domain/errors/RequestErrors.ts"
import { InternalError } from "../domain/errors/ServiceErrors.ts"
import { isIdempotencyKey } from "../domain/IdempotencyKey.ts"
import { formatTimestamp, parseTimestamp } from "../domain/Timestamp.ts"
import type { CommandName } from "../ports/CommandName.ts"
import type { FirstLock } from "../ports/FirstLock.ts"
import { Hasher } from "../ports/Hasher.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Transaction } from "../ports/Transaction.ts"
import { Journal } from "./Journal.ts"
import type { Created, CreateOptions } from "./Options.ts"
import { Principal } from "./Principal.ts"

/** Why an idempotency key is rejected. */
export type IdempotencyError = InvalidIdempotencyKey | IdempotencyKeyReused | IdempotencyInProgress

/** Milliseconds. */
export const resultsKeptFor = 7 * 24 * 60 * 60 * 1000
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

/** Gives a creation at most one effect per idempotency key of an account. */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    /**
     * Runs the body in a transaction. With a key, its result is stored in that transaction, and a repetition with the
     * same input returns it again. A rejected body stores nothing and may succeed later with the same key. `first` is the row
     * that the body locks first, if that is known.
     */
    readonly once: <A, E, R>(
      operation: CommandName,
      input: unknown,
      schema: Schema.ConstraintDecoder<A>,
      options: CreateOptions | undefined,
      body: Effect.Effect<A, E, R>,
      first?: FirstLock
    ) => Effect.Effect<Created<A>, E | IdempotencyError | StorageError, Exclude<R, Transaction>>
  }
>()("@petstore/core/services/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const storage = yield* Storage
      const hasher = yield* Hasher
      const journal = yield* Journal
      let written = 0

      const purge = (now: string) =>
        written++ % purgeEvery === 0 ? storage.idempotency.purge(expiry(now), purgeAtMost) : Effect.void

      return {
        once: (operation, input, schema, options, body, first) => {
          const key = options?.idempotencyKey
          if (key === undefined) {
            return Effect.map(storage.transact(body, operation, first), (value) => ({ value, replayed: false }))
          }
          if (!isIdempotencyKey(key)) return Effect.fail(new InvalidIdempotencyKey({}))
          return Effect.gen(function* () {
            const { accountId, user } = yield* Principal
            const ownKey = keyOf(key, user)
            const fingerprint = yield* hasher.sha256(`${operation} ${canonical(input)}`)
            return yield* storage.transact(
              Effect.gen(function* () {
                const now = yield* journal.clockTime
                const record = yield* storage.idempotency.lock(accountId, ownKey)
                if (record !== undefined && record.createdAt > expiry(now)) {
                  if (!equalDigests(record.fingerprint, fingerprint)) return yield* new IdempotencyKeyReused({})
                  return { value: yield* read(schema, record.result), replayed: true }
                }
                const value = yield* body
                const createdAt = now
                yield* storage.idempotency.save({
                  accountId,
                  key: ownKey,
                  operation,
                  fingerprint,
                  result: JSON.stringify(value),
                  createdAt
                })
                yield* purge(now)
                return { value, replayed: false }
              }),
              operation
            )
          })
        }
      }
    })
  )
}

/** The key as it is stored. No key contains a blank, so the keys of one user are never those of another. */
const keyOf = (key: string, user: string | undefined): string => (user === undefined ? key : `${key} ${user}`)

const expiry = (now: string): string => formatTimestamp((parseTimestamp(now) ?? 0) - resultsKeptFor)

const read = <A>(schema: Schema.ConstraintDecoder<A>, json: string): Effect.Effect<A, InternalError> =>
  Schema.decodeUnknownEffect(schema)(JSON.parse(json)).pipe(
    Effect.mapError((cause) => new InternalError({}, { cause }))
  )
