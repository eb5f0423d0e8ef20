import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ValidationFailed } from "../errors/InputErrors.ts"
import { Id, integer } from "../Id.ts"
import { limits } from "../limits.ts"
import type { MethodInputs } from "../MethodInput.ts"
import { ListQuery } from "../PageQuery.ts"
import { line } from "../Text.ts"
import { formatTimestamp, parseTimestamp, Timestamp } from "../Timestamp.ts"
import { Preset, presets, Scope } from "./Scope.ts"

/** The input of a new key: either its scopes or a preset. */
export const NewApiKey = Schema.Struct({
  accountId: Id,
  name: line(limits.keyName),
  scopes: Schema.optionalKey(
    Schema.Array(Scope).check(
      Schema.isMinLength(1, { message: "Expected at least one scope" }),
      Schema.isUnique({ message: "Expected each scope once" })
    )
  ),
  preset: Schema.optionalKey(Preset),
  expiresAt: Schema.optionalKey(Timestamp)
})
  .check(
    Schema.makeFilter(
      (key) => (key.scopes === undefined) !== (key.preset === undefined) || "Expected either scopes or a preset",
      { toJsonSchema: () => ({ oneOf: [{ required: ["scopes"] }, { required: ["preset"] }] }) }
    )
  )
  .annotate({ identifier: "NewApiKey" })
export interface NewApiKey extends Schema.Schema.Type<typeof NewApiKey> {}

/** An API key without its secret. */
export const ApiKey = Schema.Struct({
  id: Id,
  accountId: Id,
  name: Schema.String,
  scopes: Schema.Array(Scope),
  createdAt: Timestamp,
  expiresAt: Schema.optionalKey(Timestamp),
  /** Updated at most once a minute. */
  lastUsedAt: Schema.optionalKey(Timestamp)
}).annotate({ identifier: "ApiKey" })
export interface ApiKey extends Schema.Schema.Type<typeof ApiKey> {}

/** An API key with its secret, which only its creation and rotation return. */
export const ApiKeyWithSecret = Schema.Struct({ ...ApiKey.fields, key: Schema.String }).annotate({
  identifier: "ApiKeyWithSecret"
})
export interface ApiKeyWithSecret extends Schema.Schema.Type<typeof ApiKeyWithSecret> {}

/** How to rotate a key: how long its old secret stays valid. Default: 24 h. */
export const ApiKeyRotation = Schema.Struct({
  graceSeconds: Schema.optionalKey(integer(0, limits.rotationGrace))
}).annotate({ identifier: "ApiKeyRotation" })
export interface ApiKeyRotation extends Schema.Schema.Type<typeof ApiKeyRotation> {}

/** The scopes of a new key, each once, in the order of {@link Scope}. */
export const scopesOf = (key: Pick<NewApiKey, "scopes" | "preset">): ReadonlyArray<Scope> => {
  const wanted = key.preset === undefined ? (key.scopes ?? []) : presets[key.preset]
  return Scope.literals.filter((scope) => wanted.includes(scope))
}

/** Whether a key has expired. Without `expiresAt` it never does. */
export const hasEnded = ({ expiresAt }: Pick<ApiKey, "expiresAt">, now: string): boolean =>
  expiresAt !== undefined && expiresAt <= now

const millisOf = (timestamp: string): number => parseTimestamp(timestamp) ?? 0

/**
 * The time at which another admin key must still be valid so that this one can be revoked: in 7 days, or when this one is
 * last valid, whichever comes first. Undefined if no other key is needed: this one is not an admin key, or has expired.
 */
export const successorNeededAt = (key: Pick<ApiKey, "scopes" | "expiresAt">, now: string): string | undefined => {
  if (!key.scopes.includes("admin") || hasEnded(key, now)) return undefined
  const handover = millisOf(now) + limits.adminHandover * 1000
  const lastMoment = key.expiresAt === undefined ? handover : millisOf(key.expiresAt) - 1
  return formatTimestamp(Math.min(handover, lastMoment))
}

/** Rejects a new key that would never work. */
export const checkEnd = (key: Pick<NewApiKey, "expiresAt">, now: string): Result.Result<void, ValidationFailed> =>
  hasEnded(key, now)
    ? Result.fail(ValidationFailed.of([{ path: "/body/expiresAt", message: "Expected a time in the future" }]))
    : Result.void

/** What the methods of `apiKeys` take. */
export const apiKeyInputs = {
  create: { body: NewApiKey, rejectsKey: true, errors: ["unknown_account"] },
  get: { path: { keyId: Id }, errors: ["not_found"] },
  list: { query: ListQuery },
  rotate: { path: { keyId: Id }, body: ApiKeyRotation, bodyIsOptional: true, rejectsKey: true, errors: ["not_found"] },
  revoke: {
    path: { keyId: Id },
    options: { idempotencyKey: true, ifVersion: true },
    errors: ["not_found", "last_admin_key"]
  }
} as const satisfies MethodInputs
