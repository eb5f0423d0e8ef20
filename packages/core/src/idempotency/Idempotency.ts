import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { equalDigests } from "../access/ApiKeyToken.ts"
import { InvalidIdempotencyKey } from "../domain/errors/InputErrors.ts"
import { type IdempotencyInProgress, IdempotencyKeyReused } from "../domain/errors/RequestErrors.ts"
import { InternalError } from "../domain/errors/ServiceErrors.ts"
import { formatTimestamp, parseTimestamp } from "../domain/Timestamp.ts"
import { type Failed, type FailureOf, fail, orFail, type Waiting, type Yielded } from "../engine/Command.ts"
import { goOn, map } from "../ports/Direct.ts"
import { Hasher } from "../ports/Hasher.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Call } from "../services/Call.ts"
import { Commands } from "../services/Commands.ts"
import type { CreateOptions, Done } from "../services/Options.ts"
import { type Precondition, versionsOf } from "../services/precondition.ts"
import { idempotencyKeys } from "../tables/index.ts"
import { isIdempotencyKey, storedKeyOf } from "./IdempotencyKey.ts"
import { type RepeatableCommand, type ResultOf, resultSchemas } from "./resultSchemas.ts"

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

/** The input of a change or deletion. The same change under another condition is another request. */
export const changeOf = (id: number, options: Precondition | undefined, update?: object) => ({
  ...update,
  id,
  ifVersion: versionsOf(options?.ifVersion),
  unlessVersion: versionsOf(options?.unlessVersion)
})

/** What a deletion returns: nothing, although its id is stored. */
export const deletion = ({ replayed }: Done<unknown>): Done<void> => ({ value: undefined, replayed })

/** Gives a command at most one effect per idempotency key of an account. */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    /**
     * Runs the command. With a key, its result is stored in the same transaction, and a repetition with the same input returns it
     * again. The key is locked before the command runs, so none is rejected after another one with its key has succeeded. A rejected
     * command stores nothing and may succeed later with the same key.
     */
    readonly once: <Name extends RepeatableCommand, Y extends Yielded>(
      operation: Name,
      input: unknown,
      options: CreateOptions | undefined,
      command: (call: Call) => Generator<Y, ResultOf<Name>, unknown>
    ) => Effect.Effect<Done<ResultOf<Name>>, FailureOf<Y> | IdempotencyError | StorageError>
  }
>()("@petstore/core/idempotency/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const { run } = yield* Commands
      const hasher = yield* Hasher
      let written = 0

      return {
        once: (operation, input, options, command) => {
          const key = options?.idempotencyKey
          if (key === undefined) {
            return map(run(operation, command), (value) => ({ value, replayed: false }))
          }
          if (!isIdempotencyKey(key)) return Effect.fail(InvalidIdempotencyKey.of(key))
          return goOn(hasher.sha256(`${operation} ${canonical(input)}`), (fingerprint) => {
            const use = { operation, key, fingerprint, purges: written++ % purgeEvery === 0 }
            return run(operation, (call) => once(call, use, command))
          })
        }
      }
    })
  )

  /** For commands that no rule of a host application is about. */
  static readonly withoutRules = Layer.provide(Idempotency.layer, Commands.withoutRules)
}

/** What a key is used for. */
interface KeyUse<Name extends RepeatableCommand> {
  readonly operation: Name
  readonly key: string
  readonly fingerprint: Uint8Array
  readonly purges: boolean
}

/** Wraps a command: with a key that is known, returns what was stored instead. */
function* once<Name extends RepeatableCommand, Y extends Yielded>(
  call: Call,
  { fingerprint, key, operation, purges }: KeyUse<Name>,
  command: (call: Call) => Generator<Y, ResultOf<Name>, unknown>
): Generator<Y | Failed<IdempotencyError | InternalError> | Waiting<unknown>, Done<ResultOf<Name>>, unknown> {
  const { accountId, user } = call.principal
  const ownKey = keyOf(key, user)
  // What the command creates is not older, also if the clock is set back while it runs.
  const createdAt = call.now()
  const record = yield* call.tx.lock(idempotencyKeys, storedKeyOf({ accountId, key: ownKey }))
  if (record !== undefined && record.createdAt > expiry(createdAt)) {
    if (!equalDigests(record.fingerprint, fingerprint)) return yield* fail(new IdempotencyKeyReused({}))
    return { value: yield* orFail(read(resultSchemas[operation], record.result)), replayed: true }
  }
  const value = yield* command(call)
  const result = JSON.stringify(value)
  call.tx.save(idempotencyKeys, { accountId, key: ownKey, operation, fingerprint, result, createdAt })
  if (purges) call.tx.purge(idempotencyKeys, expiry(createdAt), purgeAtMost)
  return { value, replayed: false }
}

/** The key as it is stored. No key contains a blank, so the keys of one user are never those of another. */
const keyOf = (key: string, user: string | undefined): string => (user === undefined ? key : `${key} ${user}`)

const expiry = (now: string): string => formatTimestamp((parseTimestamp(now) ?? 0) - resultsKeptFor)

const read = <A>(schema: Schema.ConstraintDecoder<A>, json: string): Result.Result<A, InternalError> =>
  Result.mapError(Schema.decodeUnknownResult(schema)(JSON.parse(json)), (cause) => new InternalError({}, { cause }))
