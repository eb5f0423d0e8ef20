import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Accounts } from "../access/Accounts.ts"
import { ApiKeys } from "../access/ApiKeys.ts"
import { Categories } from "../categories/Categories.ts"
import { RequestTimeout, StorageBusy } from "../domain/errors/ServiceErrors.ts"
import { countOption, durationOption, type OptionSchema, type OptionSchemas, optionsCheck } from "../domain/options.ts"
import type { RuleBook } from "../domain/rules/RuleBook.ts"
import { fail } from "../engine/Command.ts"
import { Idempotency, type IdempotencyError } from "../idempotency/Idempotency.ts"
import { Inventory } from "../inventory/Inventory.ts"
import { Messages } from "../messages/Messages.ts"
import { Orders } from "../orders/Orders.ts"
import { Reservations } from "../orders/Reservations.ts"
import { Pets } from "../pets/Pets.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { WebhookSender } from "../ports/WebhookSender.ts"
import { Records } from "../records/Records.ts"
import type { MetadataSchemas } from "../records/ResourceRecord.ts"
import { Commands } from "../services/Commands.ts"
import type { CreateOptions } from "../services/Options.ts"
import { Webhooks } from "../webhooks/Webhooks.ts"
import { joinedStore } from "./joinedStore.ts"
import { OpenCommands } from "./OpenCommands.ts"
import { Part } from "./Part.ts"
import { Recording } from "./Recording.ts"

/** The options of `petstore.transaction`. */
export interface TransactionOptions extends CreateOptions {
  /** Maximum duration of the body. A number is milliseconds. Default: 5 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** Maximum number of repetitions after a conflict with another transaction. Default: 0. */
  readonly retries?: number | undefined
}

/** How a transaction can fail, in addition to its body. */
export type TransactionError = StorageError | IdempotencyError | RequestTimeout

const schemas = {
  idempotencyKey: Schema.Unknown,
  retries: countOption("how often the body may run again", 0),
  timeout: durationOption
} satisfies OptionSchemas<TransactionOptions>

/** Makes the check of the options of `petstore.transaction`, `shared` included. */
export const transactionCheck = (shared: Readonly<Record<string, OptionSchema>>) =>
  optionsCheck("petstore.transaction", '{ timeout: "10 seconds" }', { ...schemas, ...shared })

const check = transactionCheck({})

const tookTooLong = () =>
  Effect.fail(
    new RequestTimeout(
      {},
      {
        message:
          "The body of the transaction took longer than its timeout. Nothing was changed. It may have waited for a transaction that your app has open on the same database."
      }
    )
  )

/** Why a body has to run: its key is not known yet. */
class Unknown {
  readonly _tag = "Unknown"
}

interface UseCaseOptions {
  readonly metadata?: MetadataSchemas | undefined
  readonly webhooks?: WebhookSender["Service"] | undefined
}

/** The use cases as the calls of transactions run them: beside those of the petstore, on the store of their transaction. */
const joinedUseCases = (
  rules: RuleBook,
  { metadata = {}, webhooks: sender }: UseCaseOptions,
  reservations: Reservations["Service"]
) =>
  Layer.mergeAll(
    Accounts.layer,
    ApiKeys.layer,
    Categories.layer,
    Inventory.layer,
    Messages.layer,
    Layer.provide(Orders.layer, Reservations.sharing(reservations)),
    Pets.layer,
    Records.layer(metadata),
    Webhooks.layer(sender)
  ).pipe(
    Layer.provideMerge(Idempotency.layer),
    Layer.provide(Commands.layer(rules)),
    Layer.provide(Layer.effect(Storage, Effect.map(Storage, joinedStore)))
  )

type JoinedUseCases = Layer.Success<ReturnType<typeof joinedUseCases>>

/** Transactions whose bodies wait for anything, and hold no lock meanwhile. */
export class Transactions extends Context.Service<
  Transactions,
  {
    /** The use cases for calls in a transaction, of a {@link Part} or of the host application. */
    readonly useCases: Context.Context<JoinedUseCases>
    /**
     * Runs a body. If nothing that its calls have read was changed by then, writes at its end what they have written; otherwise fails
     * with {@link StorageBusy}. If the body fails, nothing is written. Throws a TypeError for invalid options.
     */
    readonly run: <A, E, R>(
      body: (part: Part) => Effect.Effect<A, E, R>,
      options?: TransactionOptions
    ) => Effect.Effect<A, E | TransactionError, R>
  }
>()("@petstore/core/transactions/Transactions") {
  static readonly layer = (rules: RuleBook, options: UseCaseOptions) =>
    Layer.effect(
      Transactions,
      Effect.gen(function* () {
        const store = yield* Storage
        const commands = yield* Commands
        const useCases = yield* Layer.build(Layer.fresh(joinedUseCases(rules, options, yield* Reservations)))
        const idempotency = Context.get(useCases, Idempotency)

        const run: Transactions["Service"]["run"] = <A, E, R>(
          body: (part: Part) => Effect.Effect<A, E, R>,
          options: TransactionOptions = {}
        ) => {
          check(options)
          const { idempotencyKey, retries = 0, timeout = "5 seconds" } = options
          const once = Effect.gen(function* () {
            const recording = new Recording(store)
            const recorded = Effect.provideService(OpenCommands, recording.run)
            if (idempotencyKey !== undefined) {
              const known = yield* idempotency
                .once("transaction", {}, options, function* () {
                  return yield* fail(new Unknown())
                })
                .pipe(
                  recorded,
                  Effect.catchTag("Unknown", () => Effect.undefined)
                )
              // As the body has returned it then, but for what JSON does not keep.
              if (known !== undefined) return known.value.value as A
            }
            const part = new Part(recording)
            const limited = Effect.timeoutOrElse(body(part), { duration: timeout, orElse: tookTooLong })
            const value = yield* part.run(limited)
            if (idempotencyKey !== undefined) {
              yield* recorded(
                idempotency.once("transaction", {}, options, function* () {
                  return { value }
                })
              )
            }
            yield* commands.run("transaction", ({ tx }) => recording.settle(tx))
            return value
          })
          return retries === 0
            ? once
            : Effect.retry(once, { times: retries, while: (error: unknown) => error instanceof StorageBusy })
        }
        return { run, useCases }
      })
    )
}
