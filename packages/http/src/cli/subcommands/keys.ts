import { type ApiKey, checkEnd, formatTimestamp, NewApiKey, type Preset, validator } from "@petstore/core/domain"
import { Petstore, Storage } from "@petstore/core/effect"
import { storeMillis, UseCaseRunner, useCases } from "@petstore/core/runtime"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { openExisting, openOrCreate } from "../database.ts"
import { type ArgumentNames, SubcommandFailed, UsageError, usageError, withArgumentNames } from "../errors.ts"
import { readSetting } from "../Setting.ts"
import type { Database } from "../settings.ts"
import * as settings from "../settings.ts"
import { confirmed } from "../terminal/confirmed.ts"
import { findOrCreateAccount } from "./accounts.ts"

interface CreateInput {
  readonly database: Database
  readonly account: string
  readonly name: string
  readonly preset: Option.Option<Preset>
  readonly scopes: Option.Option<string>
  readonly expiresAt: Option.Option<string>
}

const validate = validator(NewApiKey)

const flags: ArgumentNames = { scopes: "--scopes", expiresAt: "--expires-at", name: "--name" }

/** Reads the new key, and validates it before anything is written. */
const readKey = (input: CreateInput): Effect.Effect<Omit<NewApiKey, "accountId">, UsageError> => {
  const { expiresAt, name, preset, scopes } = input
  if (Option.isSome(preset) === Option.isSome(scopes)) {
    return Effect.fail(new UsageError({ message: "Give either --preset or --scopes" }))
  }
  const asked = {
    // Replaced by the id of the account, which may not exist yet.
    accountId: 1,
    name,
    preset: Option.getOrUndefined(preset),
    scopes: Option.getOrUndefined(Option.map(scopes, (text) => text.split(",").map((scope) => scope.trim()))),
    expiresAt: Option.getOrUndefined(expiresAt)
  }
  return Effect.fromResult(Result.mapError(validate("/body", asked), (violations) => usageError(flags, violations)))
}

/** Creates a key, and prints nothing but the key. */
export const create = (input: CreateInput) =>
  Effect.gen(function* () {
    const asked = yield* readKey(input)
    const check = (now: number) => withArgumentNames(flags)(Effect.fromResult(checkEnd(asked, formatTimestamp(now))))
    // A mistake creates no file. A server has a clock of its own.
    if (input.database.storage.kind === "sqlite") yield* Effect.flatMap(Clock.currentTimeMillis, check)
    yield* Effect.gen(function* () {
      const petstore = yield* Petstore
      yield* Effect.flatMap(storeMillis(yield* Storage), check)
      const account = yield* withArgumentNames({ name: "--account" })(findOrCreateAccount(input.account))
      const { key } = yield* petstore.apiKeys.create({ ...asked, accountId: account.id })
      yield* Console.log(key)
    }).pipe(Effect.provide(openOrCreate(input.database)))
  })

interface KeyInput {
  readonly database: Database
  readonly id: number
}

/** Revokes a key; the last admin key too if the environment has an admin key. */
export const revoke = ({ database, id, yes }: KeyInput & { readonly yes: boolean }) =>
  Effect.gen(function* () {
    yield* confirmed(`Revoke API key ${id}? Requests with it are rejected at once.`, yes)
    const adminOutsideStore = (yield* readSetting(settings.adminKey)) !== undefined
    const { call } = yield* UseCaseRunner
    yield* call(useCases.apiKeys.revoke, id, { adminOutsideStore })
    yield* Console.error(`API key ${id} is revoked.`)
  }).pipe(Effect.provide(openExisting(database)))

interface RotateInput extends KeyInput {
  readonly graceSeconds: Option.Option<number>
}

const refuseExpired = ({ expiresAt, id }: ApiKey) =>
  Effect.flatMap(Effect.flatMap(Storage, storeMillis), (now) =>
    expiresAt === undefined || expiresAt > formatTimestamp(now)
      ? Effect.void
      : Effect.fail(
          new SubcommandFailed({
            message: `API key ${id} expired on ${expiresAt}. Rotating keeps that date, so the new key would never work: create another key with petstore keys create`
          })
        )
  )

/** Replaces the secret of a key that has not expired, and prints nothing but the new key. */
export const rotate = ({ database, graceSeconds, id }: RotateInput) =>
  Effect.gen(function* () {
    const petstore = yield* Petstore
    const rotation = Option.match(graceSeconds, {
      onNone: () => ({}),
      onSome: (seconds) => ({ graceSeconds: seconds })
    })
    yield* Effect.flatMap(petstore.apiKeys.get(id), refuseExpired)
    const { key } = yield* petstore.apiKeys.rotate(id, rotation)
    yield* Console.log(key)
  }).pipe(Effect.provide(openExisting(database)))
