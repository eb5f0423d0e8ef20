import * as Effect from "effect/Effect"
import { InvalidIdempotencyKey } from "../../domain/errors/InputErrors.ts"
import { IdempotencyInProgress } from "../../domain/errors/RequestErrors.ts"
import { isIdempotencyKey } from "../../domain/idempotency/IdempotencyKey.ts"
import { fail } from "../../kernel/Command.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { Call } from "../Call.ts"
import type { Done } from "../Options.ts"
import type { UseCase } from "../UseCase.ts"
import { type IdempotencyError, once } from "./once.ts"

/** Why a body has to run: its key is not known yet. */
class Unknown {
  readonly _tag = "Unknown"
}

/** What a body has returned; JSON keeps no value that is undefined. */
interface KeptResult {
  readonly value?: unknown
}

/** The error of a body that has run although another one with its key has ended in its transaction. */
export const ranTwice = (): IdempotencyInProgress =>
  new IdempotencyInProgress(
    {},
    {
      message:
        "Another body has ended with this idempotency key in the same transaction, so both have taken effect. Roll back, and run one body for each key."
    }
  )

/**
 * The results of bodies, each kept by the key of its body until the key expires. `run` runs a use case in the transaction of the body.
 */
export const keptResults = (
  name: "once" | "transaction",
  runUseCase: (useCase: UseCase, inputs: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>
) => {
  const useCase: UseCase = {
    name,
    kind: "command",
    isRepeatable: true,
    isDeletion: false,
    *program(call: Call, idempotencyKey: string, input: unknown, ended: KeptResult | undefined) {
      yield* once(call, name, { idempotencyKey }, () => input)
      return ended ?? (yield* fail(new Unknown()))
    }
  }
  // What the program yields and returns.
  const result = (...inputs: ReadonlyArray<unknown>) =>
    runUseCase(useCase, inputs) as Effect.Effect<Done<KeptResult>, Unknown | IdempotencyError | StorageError>
  return {
    /** The result that is kept by a key; undefined if none is. Others with the key wait from now on for the end of the transaction. */
    find: (key: string, input: unknown) =>
      isIdempotencyKey(key)
        ? result(key, input).pipe(
            Effect.map((done) => done.value),
            Effect.catchTag("Unknown", () => Effect.undefined)
          )
        : Effect.fail(InvalidIdempotencyKey.of(key)),
    /** Keeps a result for a key of which none was found. */
    keep: (key: string, input: unknown, value: unknown) =>
      result(key, input, { value }).pipe(
        Effect.catchTag("Unknown", Effect.die),
        Effect.flatMap(({ replayed }) => (replayed ? Effect.fail(ranTwice()) : Effect.void))
      )
  }
}
