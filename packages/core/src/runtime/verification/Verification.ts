import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { InternalError } from "../../domain/errors/ServiceErrors.ts"
import { type CheckResult, type VerificationLimits as Limits, Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { WebhookSecrets } from "../../programs/webhooks/secrets/WebhookSecrets.ts"
import { webhooks } from "../../tables/webhookTables.ts"
import type { VerifiedStore } from "./Pass.ts"
import type { Subjects } from "./Subjects.ts"

export type { CheckResult } from "../../ports/Storage.ts"

/** How much of a store is in memory at a time while it is verified; tests choose less. */
export const VerificationLimits: Context.Reference<Limits> = Context.Reference<Limits>(
  "@petstore/core/verification/VerificationLimits",
  { defaultValue: () => ({ ids: 8_192, facts: 50_000 }) }
)

/** A fourth of the code of the petstore, which few processes need: it is not loaded with the petstore. Do not run it in a transaction. */
export const loadChecks = Effect.promise(() => import("./checks.ts"))

/** The options of `petstore.verify`. */
export interface VerifyOptions {
  /** Stores the result in place of the one before, so that the statistics of every process show it. Default: false. */
  readonly record?: boolean | undefined
}

/** The results of all rules. */
export interface VerificationReport {
  /** Whether every rule holds. */
  readonly ok: boolean
  readonly checks: ReadonlyArray<CheckResult>
}

/**
 * Checks every rule on a store that shows one committed state, which may wait until the rules are loaded.
 */
export const verifyStore = (
  store: VerifiedStore,
  limits: Limits
): Effect.Effect<ReadonlyArray<CheckResult>, StorageError> =>
  Effect.flatMap(loadChecks, (checks) => checks.verifyStore(store, limits))

const pageSize = 100

const noProblems: ReadonlyArray<string> = []

const unreadable = ({ cause, message }: InternalError): string =>
  `its rows cannot be read: ${cause instanceof Error ? cause.message : message}`

/** Decrypts every endpoint, and returns the problems of each; nothing without a key. */
const decryptionsOf = (storage: Storage["Service"], secrets: Option.Option<WebhookSecrets["Service"]>) =>
  Effect.gen(function* () {
    const endpoints: Array<Subjects["decrypted"]> = []
    if (Option.isNone(secrets) || !secrets.value.hasKey) return endpoints
    const { open } = secrets.value
    let page = yield* storage.scan(webhooks, [], pageSize)
    while (page.length > 0) {
      for (const record of page) {
        if (record.deleted) continue
        const opened = open(record)
        const problem = Result.isFailure(opened) ? opened.failure.message : undefined
        endpoints.push({ webhookId: record.webhook.id, problem })
      }
      page = yield* storage.scan(webhooks, [page.at(-1)?.webhook.id], pageSize)
    }
    return endpoints
  })

/** Checks every invariant of the petstore on the data as it is. */
export class Verification extends Context.Service<
  Verification,
  {
    /** Reads one committed state of the whole store, without stopping writers if the store can. */
    readonly verify: Effect.Effect<VerificationReport, StorageError>
  }
>()("@petstore/core/verification/Verification") {
  static readonly layer = Layer.effect(
    Verification,
    Effect.gen(function* () {
      const storage = yield* Storage
      const decryptions = decryptionsOf(storage, yield* Effect.serviceOption(WebhookSecrets))
      const limits = yield* VerificationLimits
      const detached = storage.detachedSnapshot ?? storage.snapshot
      const check = Effect.fnUntraced(function* (checkHere: Effect.Effect<ReadonlyArray<CheckResult>, StorageError>) {
        // Rows that cannot be read matter more than the rules that were not checked because of it.
        const rows = checkHere.pipe(
          Effect.map((results) => ({ unread: noProblems, results })),
          Effect.catchTag("InternalError", (error) => Effect.succeed({ unread: [unreadable(error)], results: [] }))
        )
        const damage = yield* storage.inspect
        const { results, unread } = yield* rows
        // What cannot be read at all is reported already.
        const decrypted = unread.length === 0 ? yield* decryptions : []
        return { problems: [...damage, ...unread], decrypted, results }
      })
      return {
        verify: Effect.gen(function* () {
          // Before the snapshot, in which a store may not be able to wait.
          const checks = yield* loadChecks
          const { decrypted, problems, results } = yield* detached(check(checks.verifyStore(storage, limits))).pipe(
            // The snapshot could not be kept: report what is wrong with the store itself.
            Effect.catchTag("InternalError", (error) =>
              Effect.map(storage.inspect, (damage) => ({
                problems: [...damage, unreadable(error)],
                decrypted: [],
                results: []
              }))
            )
          )
          const all = [...checks.apart(problems, decrypted), ...results]
          return { ok: all.every(({ violations }) => violations === 0), checks: all }
        })
      }
    })
  )
}
