import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type RequestTimeout, StorageBusy } from "../../domain/errors/ServiceErrors.ts"
import { countOption, durationOption, type OptionSchema, type OptionTable, optionsCheck } from "../../domain/options.ts"
import { asking, goOn, map } from "../../ports/Direct.ts"
import { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { Commands } from "../../programs/Commands.ts"
import { keptResults } from "../../programs/idempotency/keptResults.ts"
import type { IdempotencyError } from "../../programs/idempotency/once.ts"
import type { CreateOptions } from "../../programs/Options.ts"
import { Part } from "../../programs/transactions/Part.ts"
import { Recording } from "../../programs/transactions/Recording.ts"
import { UseCaseRunner } from "../UseCaseRunner.ts"
import { limited } from "./limited.ts"

/** The options of `petstore.transaction`. */
export interface TransactionOptions extends CreateOptions {
  /** Maximum duration of the body. A number is milliseconds. Default: 5 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** Maximum number of repetitions after a conflict with another transaction. Default: 0. */
  readonly retries?: number | undefined
}

/** How a transaction can fail, in addition to its body. */
export type TransactionError = StorageError | IdempotencyError | RequestTimeout

export const transactionOptions = {
  idempotencyKey: { schema: Schema.Unknown },
  retries: { schema: countOption("how often the body may run again", 0), default: 0 },
  timeout: { schema: durationOption, default: "5 seconds" }
} satisfies OptionTable<TransactionOptions>

/** Makes the check of the options of `petstore.transaction`, `shared` included. */
export const transactionCheck = (shared: Readonly<Record<string, OptionSchema>>) =>
  optionsCheck("petstore.transaction", '{ timeout: "10 seconds" }', { ...transactionOptions, ...shared })

const check = transactionCheck({})

// Read once: to read a text takes as long as to begin a transaction.
const defaultTimeout = Duration.toMillis(Duration.fromInputUnsafe(transactionOptions.timeout.default))

/** Transactions whose bodies wait for anything, and hold no lock meanwhile. */
export class Transactions extends Context.Service<
  Transactions,
  {
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
  static readonly layer = Layer.effect(
    Transactions,
    Effect.gen(function* () {
      const store = yield* Storage
      const commands = yield* Commands
      const { runIn } = yield* UseCaseRunner

      const run: Transactions["Service"]["run"] = <A, E, R>(
        body: (part: Part) => Effect.Effect<A, E, R>,
        options?: TransactionOptions
      ) => {
        if (options !== undefined) check(options)
        const { idempotencyKey, retries = transactionOptions.retries.default, timeout } = options ?? {}
        const limit = timeout === undefined ? defaultTimeout : Duration.toMillis(Duration.fromInputUnsafe(timeout))
        const transacted = asking((): Effect.Effect<A, E | TransactionError> => {
          const recording = new Recording(store)
          const runBody = (): Effect.Effect<A, E | RequestTimeout> => {
            const part = new Part(recording)
            // Who runs it has what it requires.
            return part.run(limited(body(part) as Effect.Effect<A, E>, limit))
          }
          const end = (value: A) =>
            map(
              commands.run("transaction", ({ tx }) => recording.settle(tx)),
              () => value
            )
          if (idempotencyKey === undefined) return goOn(runBody(), end)
          const results = keptResults("transaction", (useCase, inputs) => runIn(recording.run, useCase, inputs))
          return goOn(results.find(idempotencyKey, {}), (known): Effect.Effect<A, E | TransactionError> => {
            // As the body has returned it then, but for what JSON does not keep.
            if (known !== undefined) return Exit.succeed(known.value as A)
            return goOn(runBody(), (value) => goOn(results.keep(idempotencyKey, {}, value), () => end(value)))
          })
        })
        return retries === 0
          ? transacted
          : Effect.retry(transacted, { times: retries, while: (error: unknown) => error instanceof StorageBusy })
      }
      return { run }
    })
  )
}
